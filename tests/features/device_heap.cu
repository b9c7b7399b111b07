// Device memory: malloc, new, placement new, alloca
#include <new>

struct Node {
  int value;
  Node* next;
};

__global__ void build(int* out) {
#pragma cudahot begin(body)
  Node* const list = new Node{1, nullptr};
  int* const numbers = static_cast<int*>(malloc(4 * sizeof(int)));
  alignas(Node) unsigned char storage[sizeof(Node)];
  Node* const placed = new (storage) Node{2, list};
  out[threadIdx.x] = placed->next->value + (numbers != nullptr ? 1 : 0);
  free(numbers);
  delete list;
#pragma cudahot end
}
