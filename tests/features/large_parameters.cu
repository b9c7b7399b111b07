// Parameters: more than 4 KB
struct Table {
  int entries[4000];
};

__global__ void look_up(Table table, int* data) {
#pragma cudahot begin(body)
  data[threadIdx.x] = table.entries[data[threadIdx.x]];
#pragma cudahot end
}
