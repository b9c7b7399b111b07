// Many processes that start at once on an empty cache with the same kernel.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "cache/store.hpp"
#include "lib/base/files.hpp"

namespace cudahot::build {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::filesystem::path program() {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  return std::filesystem::path(folder != nullptr ? folder : "build/bin") / "tests" / "cold_process";
}

// What `count` processes print, started together.
class Herd {
 public:
  Herd(int count, const std::filesystem::path& folder) : folder_(folder) {
    int start[2];
    if (::pipe2(start, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    for (int i = 0; i < count; ++i) children_.push_back(spawn(i, start[0]));
    ::close(start[0]);
    ::close(start[1]);  // go
    for (const pid_t child : children_) {
      int status = -1;
      ::waitpid(child, &status, 0);
      if (status != 0) ++failed;
    }
    for (int i = 0; i < count; ++i) {
      ++printed[base::read_file(output(i, "out")).value_or("")];
      complaints += base::read_file(output(i, "err")).value_or("");
    }
  }

  int failed = 0;
  std::map<std::string, int> printed;  // line -> how often
  std::string complaints;

 private:
  std::filesystem::path output(int i, const char* kind) const { return folder_ / (std::to_string(i) + "." + kind); }

  pid_t spawn(int i, int start) const {
    const std::string out = output(i, "out").string();
    const std::string err = output(i, "err").string();
    const std::string cache = (folder_ / "new folder" / "cache.db").string();
    const std::string path = program().string();
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::dup2(start, STDIN_FILENO);
    ::dup2(::open(out.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), STDERR_FILENO);
    ::execl(path.c_str(), path.c_str(), cache.c_str(), nullptr);
    ::_exit(127);
  }

  std::filesystem::path folder_;
  std::vector<pid_t> children_;
};

class ColdProcesses : public testing::TestWithParam<int> {};

TEST_P(ColdProcesses, CompileOnceAndAllGetTheSame) {
  const auto folder = base::TemporaryFolder::create("cudahot herd").value();
  const Herd herd(GetParam(), folder.path());
  EXPECT_EQ(herd.failed, 0);
  EXPECT_THAT(herd.complaints, IsEmpty());
  ASSERT_THAT(herd.printed, SizeIs(2));
  const auto& [compiled, compiled_count] = *herd.printed.begin();
  const auto& [hit, hit_count] = *herd.printed.rbegin();
  EXPECT_EQ(compiled_count, 1);
  EXPECT_EQ(hit_count, GetParam() - 1);
  EXPECT_EQ(compiled.substr(compiled.find(' ')), hit.substr(hit.find(' '))) << "the digests of the CUBINs";

  auto store = cache::Store::open(folder.path() / "new folder" / "cache.db", cache::Store::Mode::inspect);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_THAT(store->list().value(), SizeIs(1));
  EXPECT_THAT(store->verify().value(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Herd, ColdProcesses, testing::Values(2, 16, 64));

}  // namespace
}  // namespace cudahot::build
