// The man page: every command and option is in it, and it is sound.
#include <set>

#include "lib/base/paths.hpp"
#include "tests/cli/cache/cache_run.hpp"
#include "tests/support/checkout.hpp"

namespace cudahot::cache {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::filesystem::path page() {
  return std::filesystem::absolute(test_support::checkout() / "docs/man/cudahot-cache.1");
}

class ManualCli : public CacheCli {
 protected:
  std::string text_;  // without escapes
  void SetUp() override {
    text_ = base::read_file(page()).value();
    std::erase(text_, '\\');
  }

  // Words of --help that begin a line and satisfy the condition.
  template <typename Condition>
  std::set<std::string> words(std::vector<std::string> arguments, Condition&& is_wanted) {
    arguments.emplace_back("--help");
    std::set<std::string> found;
    for (const std::string& line : lines_of(run(arguments).out)) {
      std::istringstream stream(line);
      std::string word;
      stream >> word;
      for (std::istringstream parts(word); std::getline(parts, word, ',');) {
        if (is_wanted(line, word)) found.insert(word);
      }
    }
    return found;
  }

  std::set<std::string> options(const std::vector<std::string>& arguments) {
    return words(arguments, [](const std::string& line, const std::string& word) {
      return line.starts_with("  -") && word.starts_with("-");
    });
  }

  std::set<std::string> commands() {
    bool behind = false;
    return words({}, [&behind](const std::string& line, const std::string&) {
      behind = line == "Subcommands:" || (behind && line.starts_with("  "));
      return behind && line.starts_with("  ");
    });
  }
};

TEST_F(ManualCli, HasEveryCommandAndOption) {
  const auto all = commands();
  EXPECT_TRUE(all.contains("ls") && all.contains("merge") && all.size() >= 12) << testing::PrintToString(all);
  for (const std::string& option : options({})) EXPECT_THAT(text_, HasSubstr(option));
  for (const std::string& command : all) {
    EXPECT_THAT(text_, HasSubstr("\n.SS " + command));
    for (const std::string& option : options({command})) EXPECT_THAT(text_, HasSubstr(option)) << command;
  }
}

TEST_F(ManualCli, EveryCommandHasExamples) {
  for (const std::string& command : commands()) {
    EXPECT_THAT(run({command, "--help"}).out, HasSubstr("Examples:\n  ")) << command;
  }
}

TEST_F(ManualCli, IsSoundRoff) {
  const auto check = [&](const std::vector<std::string>& command) {
    base::ProcessRequest request{command, {}, {}, {}};
    const auto outcome = base::run_process(request).value();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
  };
  if (base::find_program("mandoc")) check({"mandoc", "-T", "lint", "-W", "warning", page()});
  else if (base::find_program("groff")) check({"groff", "-man", "-Tutf8", "-ww", "-z", page()});
  else GTEST_SKIP() << "neither mandoc nor groff";
}

}  // namespace
}  // namespace cudahot::cache
