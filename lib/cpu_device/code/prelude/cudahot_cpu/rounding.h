#pragma once
inline float __cosf(float x) { return __builtin_cosf(x); }
