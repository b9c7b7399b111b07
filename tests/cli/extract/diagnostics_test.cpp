// docs/diagnostics.md says what happens, and SARIF says the same.
#include <algorithm>
#include <map>

#include "tests/cli/extract/extract_run.hpp"
#include "tests/support/checkout.hpp"

namespace cudahot::extract_tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kShade;

struct Entry {
  std::string id;
  std::string what;
  std::vector<std::string> blocks;
};

// Headings `## CH012: WHAT` of the document, and the CUDA sources below each.
std::vector<Entry> entries_of(std::string_view text) {
  std::vector<Entry> entries;
  std::string* block = nullptr;
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, newline);
    if (line.starts_with("## CH")) {
      entries.push_back({std::string(line.substr(3, 5)), std::string(line.substr(10)), {}});
    } else if (line == "```cuda" && !entries.empty()) {
      block = &entries.back().blocks.emplace_back();
    } else if (line == "```") {
      block = nullptr;
    } else if (block != nullptr) {
      block->append(line).append("\n");
    }
    text.remove_prefix(newline + 1);
  }
  return entries;
}

class Document : public testing::ExtractRun {
 protected:
  // The files of one example, the first of which is shade.cu.
  void write_example(const std::string& name, std::string_view block) const {
    constexpr std::string_view kMark = "// FILE: ";
    std::string file = "shade.cu";
    while (!block.empty()) {
      const std::size_t next = std::min(block.find(kMark), block.size());
      write(std::filesystem::path(name) / file, block.substr(0, next));
      block.remove_prefix(next);
      if (block.empty()) return;
      const std::size_t newline = block.find('\n');
      file = block.substr(kMark.size(), newline - kMark.size());
      block.remove_prefix(newline + 1);
    }
  }

  // Ids of errors and remarks by the folder of the file that they are in; "error" for an error without an id.
  std::map<std::string, std::vector<std::string>> errors(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--json");
    const auto outcome = run(arguments);
    std::map<std::string, std::vector<std::string>> found;
    const auto document = nlohmann::json::parse(outcome.out);
    for (const auto& diagnostic : document["diagnostics"]) {
      const std::string id = diagnostic["id"];
      if (diagnostic["severity"] != "error" && id.empty()) continue;
      const std::filesystem::path file = diagnostic["file"].get<std::string>();
      found[file.parent_path().filename().string()].push_back(id.empty() ? "error" : id);
    }
    return found;
  }
};

TEST_F(Document, OfDiagnosticsShowsWhatIsRefusedAndWhatIsNot) {
  const auto text = base::read_file(test_support::checkout() / "docs" / "diagnostics.md");
  ASSERT_TRUE(text) << text.error().message;
  const auto entries = entries_of(*text);
  std::vector<std::string> listed = {"--list"};
  std::vector<std::string> compiled = {"--check", "--arch", "cpu-x86-64"};
  for (const Entry& entry : entries) {
    ASSERT_EQ(entry.blocks.size(), 2u) << entry.id << ": what is refused, and what is not";
    write_example(entry.id + "-bad", entry.blocks[0]);
    write_example(entry.id + "-good", entry.blocks[1]);
    for (const char* kind : {"-bad", "-good"}) {
      // Only compiling finds what the CPU device lacks; a fault in one file keeps all from being compiled.
      if (entry.id == "CH025") {
        if (kind == std::string("-bad")) compiled.push_back(entry.id + kind + "/shade.cu");
        continue;
      }
      listed.push_back(entry.id + kind + "/shade.cu");
    }
  }
  auto found = errors(listed);
  found.merge(errors(compiled));
  found.merge(errors({"--check", "--arch", "cpu-x86-64", "CH025-good/shade.cu"}));
  for (const Entry& entry : entries) {
    EXPECT_THAT(found[entry.id + "-bad"], ElementsAre(entry.id)) << entry.blocks[0];
    EXPECT_THAT(found[entry.id + "-good"], IsEmpty()) << entry.blocks[1];
  }
}

// --sarif lists the rules, and so the ids that there are.
TEST_F(Document, OfDiagnosticsHasEveryIdUnderItsOwnWords) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--list", "--sarif", "out.sarif", "shade.cu"}).exit_code, 0);
  const auto text = base::read_file(test_support::checkout() / "docs" / "diagnostics.md");
  ASSERT_TRUE(text) << text.error().message;
  std::vector<std::string> documented;
  for (const Entry& entry : entries_of(*text)) documented.push_back(entry.id + ": " + entry.what);
  std::vector<std::string> known;
  const auto sarif = nlohmann::json::parse(read("out.sarif"));
  for (const auto& rule : sarif["runs"][0]["tool"]["driver"]["rules"]) {
    if (rule["id"] == "compiler") continue;
    known.push_back(rule["id"].get<std::string>() + ": " + rule["shortDescription"]["text"].get<std::string>());
  }
  EXPECT_EQ(documented, known);
}

class Sarif : public testing::ExtractRun {
 protected:
  nlohmann::json run_of(std::vector<std::string> arguments, int exit_code) const {
    arguments.insert(arguments.begin(), {"--sarif", "out.sarif"});
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    const auto document = nlohmann::json::parse(read("out.sarif"));
    EXPECT_EQ(document["version"], "2.1.0");
    EXPECT_THAT(document["$schema"].get<std::string>(), HasSubstr("sarif-schema-2.1.0.json"));
    EXPECT_EQ(document["runs"].size(), 1u);
    EXPECT_EQ(document["runs"][0]["tool"]["driver"]["name"], "cudahot-extract");
    EXPECT_EQ(document["runs"][0]["invocations"][0]["exitCode"], exit_code);
    EXPECT_EQ(document["runs"][0]["invocations"][0]["executionSuccessful"], exit_code == 0);
    return document["runs"][0];
  }
};

TEST_F(Sarif, OfACleanRunHasNoResults) {
  write("shade.cu", kShade);
  EXPECT_TRUE(run_of({"--list", "shade.cu"}, 0)["results"].empty());
}

TEST_F(Sarif, ResultHasRuleLevelMessageAndRange) {
  write("é.cu",
        "__global__ void Shade(float* p) {\n"
        "#pragma cudahot begin(shade)\n"
        "  /* \xc3\xa9\xc3\xa9 */ if (*p > 0) goto done;\n"
        "#pragma cudahot end\n"
        "done:\n"
        "  *p = 1;\n"
        "}\n");
  const auto sarif = run_of({"--list", "é.cu"}, 1);
  ASSERT_EQ(sarif["results"].size(), 1u);
  const auto& result = sarif["results"][0];
  EXPECT_EQ(result["ruleId"], "CH016");
  EXPECT_EQ(sarif["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], "CH016");
  EXPECT_EQ(result["level"], "error");
  EXPECT_THAT(result["message"]["text"].get<std::string>(), HasSubstr("goto"));
  EXPECT_THAT(result["message"]["text"].get<std::string>(), HasSubstr("\nhint: "));
  const auto& place = result["locations"][0]["physicalLocation"];
  EXPECT_THAT(place["artifactLocation"]["uri"].get<std::string>(),
              ::testing::AllOf(::testing::StartsWith("file:///"), HasSubstr("%20"), ::testing::EndsWith("/%C3%A9.cu")));
  EXPECT_EQ(sarif["columnKind"], "unicodeCodePoints");
  EXPECT_EQ(place["region"]["startLine"], 3);
  EXPECT_EQ(place["region"]["startColumn"], 24);  // characters: the two letters take four bytes
  EXPECT_EQ(place["region"]["endColumn"], 28);    // of "goto"
}

TEST_F(Sarif, NotesAreRelatedLocations) {
  write("shade.cu",
        "template <class T> __device__ T half(T x) {\n"
        "  return x.nothing;\n"
        "}\n" +
            std::string(kShade).replace(std::string(kShade).find("twice(3.0f)"), 11, "half(3.0f)"));
  const auto sarif = run_of({"--arch", "90", "shade.cu"}, 1);
  ASSERT_EQ(sarif["results"].size(), 1u) << sarif.dump(1);
  const auto& result = sarif["results"][0];
  EXPECT_EQ(result["ruleId"], "compiler");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
  ASSERT_FALSE(result["relatedLocations"].empty());
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 8);
  EXPECT_THAT(result["relatedLocations"][0]["message"]["text"].get<std::string>(), HasSubstr("half"));
}

TEST_F(Sarif, ErrorWithoutAPlaceIsANotification) {
  write("shade.cu", kShade);
  const auto sarif = run_of({"--toolkit", "/nowhere/cuda", "shade.cu"}, 3);
  EXPECT_TRUE(sarif["results"].empty());
  const auto& notification = sarif["invocations"][0]["toolExecutionNotifications"][0];
  EXPECT_EQ(notification["level"], "error");
  EXPECT_THAT(notification["message"]["text"].get<std::string>(), HasSubstr("'/nowhere/cuda'"));
}

TEST_F(Sarif, ThatCannotBeWrittenIsAnError) {
  write("shade.cu", kShade);
  const auto outcome = run({"--list", "--sarif", "no/such/out.sarif", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write 'no/such/out.sarif' (--sarif)"));
}

}  // namespace
}  // namespace cudahot::extract_tool
