#include "lib/extract/device_headers.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"

namespace cudahot::extract {
namespace {

namespace fs = std::filesystem;

class DeviceHeaders : public ::testing::Test {
 protected:
  std::string put(const std::string& name, std::string_view content) {
    const fs::path path = folder_.path() / "include" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return fs::canonical(path).string();
  }
  std::vector<std::string> all_of(const std::string& header) {
    return all_included({header}, folder_.path() / "include");
  }

  base::TemporaryFolder folder_ = std::move(*base::TemporaryFolder::create("cudahot-headers-test"));
};

TEST_F(DeviceHeaders, AreFollowedIntoEveryBranchAndFolder) {
  const std::string first = put("a.h",
                                "#pragma once\n#ifdef __CUDACC_RTC__\n #  include <cuda/std/b>  // c\n#else\n"
                                "#include <vector>\n#include \"c.h\"\n#endif\n");
  const std::string in_cccl = put("cccl/cuda/std/b", "#include \"../detail/d.h\"\r\n#include MACRO\n#include <a.h>");
  const std::string beside = put("c.h", "");
  const std::string relative = put("cccl/cuda/detail/d.h", "#include");
  put("unrelated.h", "");
  EXPECT_THAT(all_of(first), ::testing::UnorderedElementsAre(first, in_cccl, beside, relative));
}

TEST_F(DeviceHeaders, OfNothingAreNone) { EXPECT_THAT(all_included({}, folder_.path()), ::testing::IsEmpty()); }

}  // namespace
}  // namespace cudahot::extract
