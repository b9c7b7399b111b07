// Device and constant variables: code that has them runs, and keeps what the program has in them.
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::HasSubstr;

class State : public Project {
 protected:
  static std::string counting(const std::string& region) {
    return "__constant__ int tint = 1000;\n"
           "__device__ int frames;\n"
           "extern \"C\" __global__ void Fill(int* out, int value) {\n"
           "#pragma cudahot begin(fill)\n" +
           region +
           "\n#pragma cudahot end\n"
           "}\n";
  }
};

TEST_F(State, IsKeptFromLaunchToLaunch) {
  const Fill fill = start_fill(Mode::manual, counting("  out[0] = tint + frames++ + value;"));
  EXPECT_EQ(run(fill, 0), 1000);
  EXPECT_EQ(run(fill, 0), 1001);
  EXPECT_EQ(run(fill, 7), 1009);
}

TEST_F(State, IsNeverLostToAnEditButTheEditIsRefusedByTheNamesAndSizesOfTheVariables) {
  const Fill fill = start_fill(Mode::manual, counting("  out[0] = tint + frames++ + value;"));
  for (int frame = 0; frame < 100; ++frame) EXPECT_EQ(run(fill, 0), 1000 + frame);

  save("fill.cu", counting("  out[0] = 2 * tint + frames++ + value;"));
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::mismatch);
  EXPECT_THAT(reloaded.error().message, HasSubstr("__constant__ 'tint' (4 bytes)"));
  EXPECT_THAT(reloaded.error().message, HasSubstr("__device__ 'frames' (4 bytes)"));
  EXPECT_THAT(reloaded.error().message, HasSubstr(path("fill.cu").string()));
  EXPECT_EQ(run(fill, 0), 1100);
  EXPECT_EQ(fill.generation(), 0u);
}

TEST_F(State, InVariablesThatAnEditTakesAwayIsNotMissed) {
  const Fill fill = start_fill(Mode::manual, counting("  out[0] = tint + frames++ + value;"));
  EXPECT_EQ(run(fill, 0), 1000);
  save("fill.cu", fill_source(adding(5)));
  ASSERT_TRUE(runtime_->reload());
  EXPECT_EQ(run(fill, 1), 6);
}

}  // namespace
}  // namespace cudahot::inputs
