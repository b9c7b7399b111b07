// Address spaces: predicates and conversions
__global__ void where(const int* pointer, size_t* out) {
  __shared__ int local;
#pragma cudahot begin(body)
  local = 1;
  out[0] = __isGlobal(pointer) + __isShared(&local) + __isConstant(pointer) + __isLocal(pointer);
  out[1] = __cvta_generic_to_global(pointer) + __cvta_generic_to_shared(&local);
#pragma cudahot end
}
