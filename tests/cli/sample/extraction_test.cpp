// The sample's sources and the device library through cudahot-extract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/files.hpp"
#include "run_program.hpp"
#include "source_edit.hpp"

namespace cudahot {
namespace {

using testing::HasSubstr;

class Extraction : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = base::TemporaryFolder::create("sample-extract");
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
  }

  std::filesystem::path file(const char* name) const { return folder_->path() / name; }

  // The listing of the bundle that is made of `source`.
  std::string extract_and_list(const std::filesystem::path& source, const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"--arch",        "75,90", "--bundle", file("a.cudahot").string(),
                                          source.string(), "--"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto extracted = run_program("cudahot-extract", arguments);
    EXPECT_EQ(extracted.exit_code, 0) << extracted.err;
    const auto listed = run_program("cudahot-cache", {"--db", file("a.cudahot").string(), "ls"});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    return listed.out;
  }

  std::optional<base::TemporaryFolder> folder_;
};

TEST_F(Extraction, OfTheSampleHoldsItsKernelForEachArchitecture) {
  const std::string listing = extract_and_list(CUDAHOT_SAMPLE_SOURCES "/update_surface.cu", {});
  EXPECT_THAT(listing, testing::ContainsRegex("UpdateSurface +shade +sm_75"));
  EXPECT_THAT(listing, testing::ContainsRegex("UpdateSurface +shade +sm_90"));
}

TEST_F(Extraction, OfAKernelThatCallsTheDeviceLibraryLinksIt) {
  const auto original = sample::read_text(CUDAHOT_SAMPLE_SOURCES "/update_surface.cu");
  ASSERT_TRUE(original) << original.error().message;
  const auto edited = sample::insert_at_region_end(
      *original, "pixel.x *= cudahot::device::simplex_noise(make_float2(x * 0.05f, y * 0.05f));");
  ASSERT_TRUE(edited) << edited.error().message;
  ASSERT_TRUE(base::write_file_atomically(file("noise.cu"), "#include <cudahot/device.cuh>\n" + edited->text));
  const std::string listing =
      extract_and_list(file("noise.cu"), {"-I" CUDAHOT_SAMPLE_SOURCES, "-I" CUDAHOT_DEVICE_INCLUDE});
  EXPECT_THAT(listing, testing::ContainsRegex("UpdateSurface +shade +sm_75"));
  EXPECT_THAT(listing, testing::ContainsRegex("UpdateSurface +shade +sm_90"));
}

}  // namespace
}  // namespace cudahot
