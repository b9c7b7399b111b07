// SIMD in a word, and the DPX functions
__global__ void blend(unsigned* data, int* scores) {
#pragma cudahot begin(body)
  data[threadIdx.x] = __vadd4(__vmaxs2(data[0], data[1]), __vcmpgtu4(data[2], __vabsdiffu4(data[3], data[4])));
  bool left;
  scores[threadIdx.x] = __viaddmax_s32(scores[0], 1, scores[1]) + __vimax3_s32(scores[0], scores[1], scores[2]) +
                        __vibmax_s32(scores[3], scores[4], &left);
#pragma cudahot end
}
