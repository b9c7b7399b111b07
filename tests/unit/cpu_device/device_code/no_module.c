// A shared object that is no code for the CPU device.
int answer(void);
int answer(void) { return 42; }
