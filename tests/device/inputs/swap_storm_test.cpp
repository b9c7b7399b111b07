// 500 reloads under two launching threads, and an end without a word: in a program of its own.
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

class SwapStorm : public Project {};

TEST_F(SwapStorm, LosesNoLaunchKeepsMemoryFlatAndEndsWithoutAMessage) {
  save("fill.cu", fill_source(adding(0)));
  const auto extracted = extract({"fill.cu"});
  ASSERT_EQ(extracted.exit_code, 0) << extracted.err;
  const auto extractor = test_support::built_programs() / "cudahot-extract";
  const auto outcome = test_support::run_built("tests/programs/swap_storm", {folder_.string(), extractor.string()},
                                               {"CUDAHOT_LOG=error"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->signal, 0);
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(outcome->out, "");
  EXPECT_EQ(outcome->err, "");
}

}  // namespace
}  // namespace cudahot::inputs
