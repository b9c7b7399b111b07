// Graphs: conditional nodes set and graphs launched from the device
// flags: -rdc=true
__global__ void steer(cudaGraphConditionalHandle handle, cudaGraphExec_t graph, const int* left) {
#pragma cudahot begin(body)
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
  if (*left == 1) cudaGraphLaunch(graph, cudaStreamGraphTailLaunch);
#pragma cudahot end
}
