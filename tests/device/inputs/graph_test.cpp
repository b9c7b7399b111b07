// Edits while launches are being captured into a graph, and while a graph that holds them lives.
#include <utility>

#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::SizeIs;

class Graph : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    if (IsSkipped()) return;
    stream_ = std::make_unique<Stream>(*driver_, CU_STREAM_NON_BLOCKING);
  }
  void TearDown() override {
    for (CUgraphExec graph : graphs_) EXPECT_EQ(driver_->graph_exec_destroy(graph), CUDA_SUCCESS);
    stream_.reset();
    Project::TearDown();
  }

  void begin(const Stream& stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) const {
    ASSERT_EQ(driver_->stream_begin_capture(stream.get(), mode), CUDA_SUCCESS);
  }
  void record(const Fill& fill, const Stream& stream, int value) const {
    const Status launched = fill.launch({.stream = stream.get()}, out(), value);
    EXPECT_TRUE(launched) << launched.error().message;
  }
  // What the capture recorded, ready to be launched. Lives to the end of the test.
  CUgraphExec end(const Stream& stream) {
    CUgraph graph = nullptr;
    EXPECT_EQ(driver_->stream_end_capture(stream.get(), &graph), CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    if (graph == nullptr) return executable;
    EXPECT_EQ(driver_->graph_instantiate(&executable, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(driver_->graph_destroy(graph), CUDA_SUCCESS);
    if (executable != nullptr) graphs_.push_back(executable);
    return executable;
  }
  int launch(CUgraphExec graph) const {
    const int nothing = -1;
    EXPECT_EQ(driver_->copy_to_device(reinterpret_cast<CUdeviceptr>(out()), &nothing, sizeof(nothing)), CUDA_SUCCESS);
    EXPECT_EQ(driver_->graph_launch(graph, stream_->get()), CUDA_SUCCESS);
    EXPECT_EQ(driver_->stream_synchronize(stream_->get()), CUDA_SUCCESS);
    return read<int>(1)[0];
  }

  std::unique_ptr<Stream> stream_;

 private:
  std::vector<CUgraphExec> graphs_;
};

TEST_F(Graph, KeepsItsCodeThroughManySwapsAfterIt) {
  constexpr int kSwaps = 40;  // more than wait to be unloaded
  constexpr int kTexts = 3;
  const Fill fill = start_fill(Mode::manual, fill_source(adding(100)));
  std::vector<std::pair<CUgraphExec, int>> graphs;
  for (int swap = 0; swap < kSwaps; ++swap) {
    const int number = 101 + swap % kTexts;
    save("fill.cu", fill_source(adding(number)));
    const Status reloaded = runtime_->reload();
    ASSERT_TRUE(reloaded) << reloaded.error().message;
    EXPECT_EQ(run(fill, 5), 5 + number);
    if (swap % 5 != 0) continue;
    begin(*stream_);
    record(fill, *stream_, swap);
    graphs.emplace_back(end(*stream_), swap + number);
  }
  for (const auto& [graph, result] : graphs) EXPECT_EQ(launch(graph), result);
  EXPECT_EQ(run(fill, 5), 5 + 101 + (kSwaps - 1) % kTexts);
}

TEST_F(Graph, OfOneCaptureMayHoldSeveralGenerations) {
  const Fill fill = start_fill(Mode::manual, fill_source("  out[0] = value;"));
  begin(*stream_);
  record(fill, *stream_, 3);
  for (const char* statement : {"  out[0] += 10 * value;", "  out[0] += 100 * value;"}) {
    save("fill.cu", fill_source(statement));
    // A capture on a stream of its own is none of the reload's business.
    const Status reloaded = runtime_->reload();
    EXPECT_TRUE(reloaded) << reloaded.error().message;
    record(fill, *stream_, 3);
  }
  const CUgraphExec graph = end(*stream_);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(launch(graph), 333);
  EXPECT_EQ(launch(graph), 333);
}

TEST_F(Graph, CaptureOnAStreamThatTheDefaultOneWaitsForSurvivesAnEditWhichIsTakenUpAfterIt) {
  const Fill fill = start_fill(Mode::manual, fill_source(adding(1)));
  const Stream blocking(*driver_, CU_STREAM_DEFAULT);
  begin(blocking);
  record(fill, blocking, 10);
  save("fill.cu", fill_source(adding(2)));
  const Status waiting = runtime_->reload();
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().code, ErrorCode::busy);
  record(fill, blocking, 20);
  const CUgraphExec graph = end(blocking);
  ASSERT_NE(graph, nullptr);
  const Status reloaded = runtime_->reload();
  EXPECT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(launch(graph), 21);
  EXPECT_EQ(run(fill, 10), 12);
  EXPECT_THAT(events_.events(), SizeIs(1));
}

TEST_F(Graph, CaptureThatIsOpenWhileAnEditIsSavedGetsItLiveByItselfAtItsEnd) {
  const Fill fill = start_fill(Mode::automatic, fill_source(adding(1)));
  const Stream blocking(*driver_, CU_STREAM_DEFAULT);
  begin(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
  record(fill, blocking, 10);
  save("fill.cu", fill_source(adding(2)));
  const Status waiting = runtime_->reload();  // also waits for the thread that reloads
  EXPECT_FALSE(waiting);
  EXPECT_THAT(events_.events(), SizeIs(0));
  const CUgraphExec graph = end(blocking);
  EXPECT_EQ(events_.await_one(0).kind, Kind::live);
  EXPECT_EQ(launch(graph), 11);
  EXPECT_EQ(run(fill, 10), 12);
  EXPECT_TRUE(runtime_->reload());
  EXPECT_THAT(events_.events(), SizeIs(1));
}

}  // namespace
}  // namespace cudahot::inputs
