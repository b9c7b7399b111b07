// Clusters: __cluster_dims__ and cluster built-ins
__global__ void __cluster_dims__(2, 1, 1) rank(unsigned* out) {
#pragma cudahot begin(body)
  out[blockIdx.x] = __clusterRelativeBlockRank() + __clusterSizeInBlocks();
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
#pragma cudahot end
}
