// file_fuzz [--seed N] [--first I] [--count N] [--nvcc N] [--show]: mutates whole CUDA sources of this checkout and
// checks what becomes of them, see file_check.hpp. Mutant I of a seed is the same in every run.
//
// --nvcc N   show every Nth of the mutants that are refused to nvcc, where the toolkit has one (default 1: all). Those
//            that compile are always compared with what it makes of them.
// --show     print each mutant; with --first I --count 1 the one that a message names
//
// Exit status: 0 no crash, no hang, no property broken; 1 there was one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/files.hpp"
#include "tests/fuzz/file_check.hpp"
#include "tests/fuzz/source_mutator.hpp"

namespace cudahot::fuzz {
namespace {

namespace fs = std::filesystem;

// Mutants of one file in a row: each child process takes one such batch.
constexpr unsigned long kBatch = 10;
// For one mutant, or for the original. Far more than any takes: what is found is what never ends.
constexpr unsigned kSecondsToHang = 600;

struct Options {
  unsigned long seed = 1;
  unsigned long first = 0;
  unsigned long count = 10;
  unsigned long nvcc = 1;
  bool show = false;
};

// Shared with the child.
struct Progress {
  unsigned long at = 0;
  unsigned long mutants = 0, accepted = 0, refused = 0, not_compiled = 0, no_region = 0;
  unsigned long spliced = 0, compared = 0, kernels = 0, same_code = 0, remarks = 0;
};

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--show") options.show = true;
    if (i + 1 == arguments.size()) break;
    const unsigned long value = std::strtoul(arguments[i + 1], nullptr, 10);
    if (name == "--seed") options.seed = value;
    if (name == "--first") options.first = value;
    if (name == "--count") options.count = value;
    if (name == "--nvcc") options.nvcc = value;
  }
  return options;
}

// Seconds for each mutant, and nothing that others would not show.
bool reads_large_headers(std::string_view text) {
  for (const char* start : {"#include <cuda/", "#include <cub/", "#include <cooperative_groups", "#include <thrust/"}) {
    if (text.find(start) != std::string_view::npos) return true;
  }
  return false;
}

class Run {
 public:
  Run(const Options& options, const fs::path& folder) : options_(options) {
    const fs::path checkout = CUDAHOT_TEST_CHECKOUT;
    for (const char* name : {"tests/hard", "tests/features", "examples/update_surface"}) {
      const fs::path copy = folder / fs::path(name).filename();
      fs::copy(checkout / name, copy, fs::copy_options::recursive);
      for (const auto& entry : fs::directory_iterator(copy)) {
        if (entry.path().extension() != ".cu") continue;
        std::string text = base::read_file(entry.path()).value();
        if (reads_large_headers(text)) continue;
        if (text.find("#pragma cudahot") == std::string::npos) text = with_regions(text);
        donors_ += text;
        files_.push_back({entry.path(), std::move(text)});
      }
    }
    std::ranges::sort(files_, {}, &CheckedFile::path);
    void* const shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    progress_ = new (shared) Progress;
  }

  int run() {
    unsigned long failures = 0;
    const unsigned long end = options_.first + options_.count;
    for (progress_->at = options_.first; progress_->at < end;) {
      if (progress_->at % 100 == 0 && progress_->at != options_.first) report(failures);
      const unsigned long last = std::min(end, (progress_->at / kBatch + 1) * kBatch);
      const pid_t child = ::fork();
      if (child == 0) {
        batch(last);
        std::fflush(stdout);
        std::_Exit(0);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      ++failures;
      const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
      fmt::print("{}: {} --seed {} --first {} --count 1 --show\n", name_of(progress_->at),
                 hang ? "hangs" : "crashes or breaks a property", options_.seed, progress_->at);
      std::fflush(stdout);
      ++progress_->at;
    }
    report(failures);
    return failures == 0 ? 0 : 1;
  }

 private:
  void report(unsigned long failures) const {
    const Progress& done = *progress_;
    fmt::print(
        "{} mutants: {} accepted, {} refused, {} refused by NVRTC, {} without a region; {} spliced; {} compared with "
        "nvcc: {} of {} kernels the same to the byte; {} remarks; {} failures\n",
        done.mutants, done.accepted, done.refused, done.not_compiled, done.no_region, done.spliced, done.compared,
        done.same_code, done.kernels, done.remarks, failures);
    std::fflush(stdout);
  }

  const CheckedFile& file_of(unsigned long mutant) const {
    Random random(options_.seed * 1000003 + mutant / kBatch);
    return files_[random() % files_.size()];
  }
  std::string name_of(unsigned long mutant) const {
    return fmt::format("mutant {} ({})", mutant, file_of(mutant).path.filename().string());
  }

  void batch(unsigned long last) {
    ::alarm(kSecondsToHang);
    const CheckedFile& file = file_of(progress_->at);
    FileCheck check(file);
    if (!check.unusable().empty()) {
      fmt::print("{} is left out: {}\n", file.path.filename().string(), check.unusable());
      progress_->at = last;
    }
    for (; progress_->at < last; ++progress_->at) {
      const unsigned long mutant = progress_->at;
      ::alarm(kSecondsToHang);
      Random random(options_.seed * 1000003 + mutant);
      const std::string text = mutated(file.text, donors_, random);
      if (options_.show) fmt::print("{}\n", text);
      std::fflush(stdout);
      const Outcome outcome = check.check(text, options_.nvcc != 0 && mutant % options_.nvcc == 0);
      count(outcome);
      if (outcome.remark.empty() && !options_.show) continue;
      fmt::print("{}: {} {}\n", name_of(mutant), outcome.why, outcome.remark);
      std::fflush(stdout);
    }
  }

  void count(const Outcome& outcome) {
    Progress& done = *progress_;
    ++done.mutants;
    done.accepted += outcome.kind == Outcome::Kind::accepted ? 1U : 0U;
    done.refused += outcome.kind == Outcome::Kind::refused ? 1U : 0U;
    done.not_compiled += outcome.kind == Outcome::Kind::not_compiled ? 1U : 0U;
    done.no_region += outcome.kind == Outcome::Kind::no_region ? 1U : 0U;
    done.spliced += outcome.spliced ? 1U : 0U;
    done.compared += outcome.compared ? 1U : 0U;
    done.kernels += outcome.kernels;
    done.same_code += outcome.same_code;
    done.remarks += outcome.remark.empty() ? 0U : 1U;
  }

  Options options_;
  std::vector<CheckedFile> files_;
  std::string donors_;
  Progress* progress_ = nullptr;
};

}  // namespace
}  // namespace cudahot::fuzz

int main(int count, char** values) {
  using namespace cudahot;
  const auto folder = base::TemporaryFolder::create("cudahot-file-fuzz");
  if (!folder) return 3;
  return fuzz::Run(fuzz::parse({values, static_cast<std::size_t>(count)}), folder->path()).run();
}
