#include <array>
#include <cstring>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class GraphTest : public DeviceTest {
 protected:
  static CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec exec = nullptr;
    EXPECT_CUDA(DEVICE(cuGraphInstantiate)(&exec, graph, 0));
    return exec;
  }
  // data[i] = data[i] * factor + offset for four elements
  CUDA_KERNEL_NODE_PARAMS scale_node(CUkernel which) {
    CUDA_KERNEL_NODE_PARAMS node{};
    node.kern = which;
    node.gridDimX = 4;
    node.gridDimY = node.gridDimZ = node.blockDimX = node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = parameters_.data();
    return node;
  }
  CUdeviceptr data_ = 0;
  std::int32_t factor_ = 2;
  std::int32_t offset_ = 1;
  std::array<void*, 3> parameters_{&data_, &factor_, &offset_};
};

TEST_F(GraphTest, NodesRunInTheOrderOfTheirDependencies) {
  data_ = allocate<std::int32_t>(4);
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuGraphCreate)(&graph, 0));
  CUgraphNode first = nullptr;
  CUgraphNode second = nullptr;
  CUgraphNode third = nullptr;
  // Added in the wrong order: the kernel, what it needs, what comes after it.
  const CUDA_KERNEL_NODE_PARAMS kernel_node = scale_node(kernel("scale"));
  ASSERT_CUDA(DEVICE(cuGraphAddKernelNode)(&second, graph, nullptr, 0, &kernel_node));
  const CUDA_MEMSET_NODE_PARAMS fill{.dst = data_, .pitch = 0, .value = 5, .elementSize = 4, .width = 4, .height = 1};
  ASSERT_CUDA(DEVICE(cuGraphAddMemsetNode)(&first, graph, nullptr, 0, &fill, context()));
  std::array<std::int32_t, 4> back{};
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = data_;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.WidthInBytes = 16;
  copy.Height = 1;
  copy.Depth = 1;
  ASSERT_CUDA(DEVICE(cuGraphAddMemcpyNode)(&third, graph, &second, 1, &copy, context()));
  ASSERT_CUDA(DEVICE(cuGraphAddDependencies)(graph, &first, &second, nullptr, 1));
  const CUgraphExec exec = instantiate(graph);
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(exec, nullptr));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(nullptr));
  EXPECT_THAT(back, Each(11));
  // The graph is no longer needed, and can be changed without touching what was instantiated.
  ASSERT_CUDA(DEVICE(cuGraphDestroy)(graph));
  back = {};
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(exec, nullptr));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(nullptr));
  EXPECT_THAT(back, Each(11));
  EXPECT_CUDA(DEVICE(cuGraphExecDestroy)(exec));
  EXPECT_EQ(DEVICE(cuGraphLaunch)(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, CyclesAreRefused) {
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuGraphCreate)(&graph, 0));
  std::array<CUgraphNode, 2> nodes{};
  ASSERT_CUDA(DEVICE(cuGraphAddEmptyNode)(&nodes[0], graph, nullptr, 0));
  ASSERT_CUDA(DEVICE(cuGraphAddEmptyNode)(&nodes[1], graph, &nodes[0], 1));
  ASSERT_CUDA(DEVICE(cuGraphAddDependencies)(graph, &nodes[1], &nodes[0], nullptr, 1));
  CUgraphExec exec = nullptr;
  EXPECT_EQ(DEVICE(cuGraphInstantiate)(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, CapturedWorkDoesNotRunUntilItIsLaunched) {
  const CUstream stream = new_stream();
  data_ = upload<std::int32_t>({1, 2, 3, 4});
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(launch("scale", 4, 1, {&data_, &factor_, &offset_}, stream));
  CUstreamCaptureStatus status{};
  ASSERT_CUDA(DEVICE(cuStreamIsCapturing)(stream, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuStreamEndCapture)(stream, &graph));
  EXPECT_THAT(download<std::int32_t>(data_, 4), ElementsAre(1, 2, 3, 4));
  const CUgraphExec exec = instantiate(graph);
  factor_ = 100;  // parameters were taken when the launch was recorded
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(exec, stream));
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(exec, stream));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_THAT(download<std::int32_t>(data_, 4), ElementsAre(7, 11, 15, 19));
}

TEST_F(GraphTest, CaptureFollowsEventsIntoOtherStreams) {
  const CUstream origin = new_stream();
  const CUstream side = new_stream();
  CUevent fork = nullptr;
  CUevent join = nullptr;
  ASSERT_CUDA(DEVICE(cuEventCreate)(&fork, CU_EVENT_DISABLE_TIMING));
  ASSERT_CUDA(DEVICE(cuEventCreate)(&join, CU_EVENT_DISABLE_TIMING));
  data_ = upload<std::int32_t>({1, 1, 1, 1});
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(launch("scale", 4, 1, {&data_, &factor_, &offset_}, origin));
  ASSERT_CUDA(DEVICE(cuEventRecord)(fork, origin));
  EXPECT_EQ(DEVICE(cuStreamWaitEvent)(side, fork, 0), CUDA_SUCCESS);
  factor_ = 10;
  ASSERT_CUDA(launch("scale", 4, 1, {&data_, &factor_, &offset_}, side));
  ASSERT_CUDA(DEVICE(cuEventRecord)(join, side));
  ASSERT_CUDA(DEVICE(cuStreamWaitEvent)(origin, join, 0));
  factor_ = 1;
  ASSERT_CUDA(launch("scale", 4, 1, {&data_, &factor_, &offset_}, origin));
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuStreamEndCapture)(origin, &graph));
  std::size_t count = 0;
  ASSERT_CUDA(DEVICE(cuGraphGetNodes)(graph, nullptr, &count));
  EXPECT_EQ(count, 3);
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(instantiate(graph), nullptr));
  EXPECT_THAT(download<std::int32_t>(data_, 4), Each(32));  // (1 * 2 + 1) * 10 + 1 + 1
}

TEST_F(GraphTest, UnjoinedStreamsFailTheCapture) {
  const CUstream origin = new_stream();
  const CUstream side = new_stream();
  CUevent fork = nullptr;
  ASSERT_CUDA(DEVICE(cuEventCreate)(&fork, CU_EVENT_DISABLE_TIMING));
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(DEVICE(cuEventRecord)(fork, origin));
  ASSERT_CUDA(DEVICE(cuStreamWaitEvent)(side, fork, 0));
  ASSERT_CUDA(launch("nothing", 1, 1, {}, side));
  CUgraph graph = nullptr;
  EXPECT_EQ(DEVICE(cuStreamEndCapture)(origin, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_CUDA(launch("nothing", 1, 1, {}, side));
}

TEST_F(GraphTest, SynchronisingACapturedStreamInvalidatesTheCapture) {
  const CUstream stream = new_stream();
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(DEVICE(cuStreamSynchronize)(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(launch("nothing", 1, 1, {}, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(DEVICE(cuStreamEndCapture)(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(GraphTest, AskingTheDefaultStreamTellsOfACaptureThatItWouldWaitForAndLeavesItValid) {
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  const CUstream non_blocking = new_stream(CU_STREAM_NON_BLOCKING);
  CUstreamCaptureStatus status{};
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(non_blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_CUDA(DEVICE(cuStreamIsCapturing)(CU_STREAM_LEGACY, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_CUDA(DEVICE(cuStreamEndCapture)(non_blocking, &graph));
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(DEVICE(cuStreamIsCapturing)(CU_STREAM_LEGACY, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_CUDA(DEVICE(cuStreamEndCapture)(blocking, &graph));
}

TEST_F(GraphTest, TheDefaultStreamMustNotWaitForACapture) {
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(launch("nothing", 1, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUgraph graph = nullptr;
  EXPECT_EQ(DEVICE(cuStreamEndCapture)(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

// As measured on a driver: loading is allowed, unloading invalidates, unless the mode is relaxed.
TEST_F(GraphTest, LoadingDuringACaptureWorksAndUnloadingInvalidatesIt) {
  const CUstream stream = new_stream();
  const std::string code = bytes_of_file(CUDAHOT_TEST_KERNELS);
  CUlibrary second = nullptr;
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(DEVICE(cuLibraryLoadData)(&second, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT_EQ(DEVICE(cuLibraryUnload)(second), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(DEVICE(cuStreamEndCapture)(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  ASSERT_CUDA(DEVICE(cuThreadExchangeStreamCaptureMode)(&mode));
  EXPECT_CUDA(DEVICE(cuLibraryUnload)(second));
  ASSERT_CUDA(DEVICE(cuThreadExchangeStreamCaptureMode)(&mode));
  EXPECT_CUDA(DEVICE(cuStreamEndCapture)(stream, &graph));
}

TEST_F(GraphTest, AllocatingDuringACaptureInvalidatesItUnlessTheModeIsRelaxed) {
  const CUstream stream = new_stream();
  CUgraph graph = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_CUDA(DEVICE(cuMemAlloc)(&memory, 4));
  EXPECT_CUDA(DEVICE(cuStreamEndCapture)(stream, &graph));
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(DEVICE(cuMemAlloc)(&memory, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(DEVICE(cuStreamEndCapture)(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(GraphTest, ACaptureEndsWithItsContext) {
  CUcontext second = nullptr;
  ASSERT_CUDA(DEVICE(cuCtxCreate)(&second, nullptr, 0, 0));
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(new_stream(), CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(DEVICE(cuCtxDestroy)(second));
  EXPECT_CUDA(DEVICE(cuLibraryUnload)(library())) << "no capture is in the way";
}

TEST_F(GraphTest, AnExecutableGraphCanBeRepointedToAKernelOfAnotherLibrary) {
  const std::string code = bytes_of_file(CUDAHOT_TEST_KERNELS);
  CUlibrary second = nullptr;
  CUkernel other = nullptr;
  ASSERT_CUDA(DEVICE(cuLibraryLoadData)(&second, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_CUDA(DEVICE(cuLibraryGetKernel)(&other, second, "scale"));
  const CUstream stream = new_stream();
  data_ = upload<std::int32_t>({1, 2, 3, 4});
  ASSERT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(launch("scale", 4, 1, {&data_, &factor_, &offset_}, stream));
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuStreamEndCapture)(stream, &graph));
  const CUgraphExec exec = instantiate(graph);
  CUgraphNode node = nullptr;
  std::size_t count = 1;
  ASSERT_CUDA(DEVICE(cuGraphGetNodes)(graph, &node, &count));
  CUgraphNodeType type{};
  ASSERT_CUDA(DEVICE(cuGraphNodeGetType)(node, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
  CUDA_KERNEL_NODE_PARAMS recorded{};
  ASSERT_CUDA(DEVICE(cuGraphKernelNodeGetParams)(node, &recorded));
  EXPECT_EQ(recorded.kern, kernel("scale")) << "found by the handle it was launched with";
  EXPECT_EQ(*static_cast<std::int32_t*>(recorded.kernelParams[1]), 2);

  recorded.kern = other;
  ASSERT_CUDA(DEVICE(cuGraphExecKernelNodeSetParams)(exec, node, &recorded));
  ASSERT_CUDA(DEVICE(cuLibraryUnload)(library()));  // what it was recorded from is no longer needed
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(exec, stream));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_THAT(download<std::int32_t>(data_, 4), ElementsAre(3, 5, 7, 9));
  ASSERT_CUDA(DEVICE(cuLibraryUnload)(second));
  EXPECT_EQ(DEVICE(cuGraphLaunch)(exec, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_THAT(log(), HasSubstr("function 'scale' is used after its library was unloaded"));
}

TEST_F(GraphTest, UpdateTakesTheParametersOfAGraphOfTheSameShape) {
  const CUstream stream = new_stream();
  data_ = upload<std::int32_t>({1, 1, 1, 1});
  const auto record = [&](int launches) {
    CUgraph graph = nullptr;
    EXPECT_CUDA(DEVICE(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (int index = 0; index < launches; ++index) {
      EXPECT_CUDA(launch("scale", 4, 1, {&data_, &factor_, &offset_}, stream));
    }
    EXPECT_CUDA(DEVICE(cuStreamEndCapture)(stream, &graph));
    return graph;
  };
  const CUgraphExec exec = instantiate(record(2));
  factor_ = 3;
  CUgraphExecUpdateResultInfo info{};
  ASSERT_CUDA(DEVICE(cuGraphExecUpdate)(exec, record(2), &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  ASSERT_CUDA(DEVICE(cuGraphLaunch)(exec, stream));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_THAT(download<std::int32_t>(data_, 4), Each(13));  // (1 * 3 + 1) * 3 + 1
  EXPECT_EQ(DEVICE(cuGraphExecUpdate)(exec, record(3), &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(GraphTest, MemoryFreedBeforeALaunchIsReported) {
  data_ = allocate<std::int32_t>(4);
  CUgraph graph = nullptr;
  ASSERT_CUDA(DEVICE(cuGraphCreate)(&graph, 0));
  CUgraphNode node = nullptr;
  const CUDA_MEMSET_NODE_PARAMS fill{.dst = data_, .pitch = 0, .value = 5, .elementSize = 4, .width = 4, .height = 1};
  ASSERT_CUDA(DEVICE(cuGraphAddMemsetNode)(&node, graph, nullptr, 0, &fill, context()));
  const CUgraphExec exec = instantiate(graph);
  ASSERT_CUDA(DEVICE(cuMemFree)(data_));
  EXPECT_EQ(DEVICE(cuGraphLaunch)(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace cudahot::test
