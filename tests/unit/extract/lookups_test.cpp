// Where headers were looked for: what would be read otherwise if a file came or went there.
#include "lib/extract/lookups.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

const std::string kKernel =
    "__global__ void k(float* p) {\n#pragma cudahot begin(a)\n*p = 1;\n#pragma cudahot end\n}\n";

class LookupsOf {
 public:
  explicit LookupsOf(const std::string& lines) : tu_(lines + kKernel) {}

  LookupsOf& file(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(tu_.path(name)).parent_path());
    tu_.file(name, "");
    return *this;
  }
  LookupsOf& flags(std::vector<std::string> flags) {
    tu_.flags(std::move(flags));
    return *this;
  }

  // Those in the source's folder, as "+found" and "-missing".
  std::vector<std::string> list() { return shown(tu_.slice().lookups); }
  std::vector<std::string> list_of_refused() {
    const ExtractReport report = tu_.report();
    EXPECT_FALSE(report.slice);
    return shown(report.lookups);
  }

 private:
  std::vector<std::string> shown(const std::vector<region::Lookup>& lookups) const {
    const std::string folder = tu_.path("");
    std::vector<std::string> list;
    for (const region::Lookup& lookup : lookups) {
      if (!lookup.path.starts_with(folder)) continue;
      list.push_back(std::string(1, lookup.found ? '+' : '-').append(lookup.path, folder.size()));
    }
    return list;
  }

  TestTu tu_;
};

TEST(Lookups, AreNoneWhereEveryHeaderIsFoundAtTheFirstPlace) {
  EXPECT_THAT(LookupsOf("#include \"a.cuh\"\n").file("a.cuh").list(), IsEmpty());
}

TEST(Lookups, NameThePlacesThatWereTriedBeforeTheHeaderWasFound) {
  EXPECT_THAT(LookupsOf("#include \"a.cuh\"\n").file("one/x").file("two/a.cuh").flags({"-Ione", "-Itwo"}).list(),
              ElementsAre("-a.cuh", "-one/a.cuh"));
}

TEST(Lookups, AskInAUsersFoldersForTheSystemsHeadersToo) {
  EXPECT_THAT(LookupsOf("#include <vector>\n").file("one/x").flags({"-Ione"}).list(), ElementsAre("-one/vector"));
}

TEST(Lookups, LeaveOutWhatOnlySystemHeadersAskFor) {
  EXPECT_THAT(LookupsOf("#include <vector>\n").file("one/x").flags({"-Ione"}).list(), Not(Contains("-one/bits")));
}

TEST(Lookups, HoldTheAnswersOfHasInclude) {
  const std::string lines = "#if __has_include(\"yes.h\")\n#endif\n#if __has_include(\"no.h\")\n#endif\n";
  EXPECT_THAT(LookupsOf(lines).file("yes.h").list(), ElementsAre("-no.h", "+yes.h"));
}

TEST(Lookups, ThatHasIncludeMadeAreDependenciesWhereTheyFound) {
  TestTu tu("#if __has_include(\"yes.h\")\n#endif\n" + kKernel);
  tu.file("yes.h", "");
  const ExtractReport report = tu.report();
  EXPECT_THAT(report.dependencies, Contains(tu.path("yes.h")));
  for (const auto& file : report.slice.value().files) EXPECT_NE(file.path, tu.path("yes.h")) << "it is not read";
}

TEST(Lookups, HoldTheAnswersOfHasIncludeNext) {
  const std::string lines = "#include <a.h>\n";
  LookupsOf lookups(lines);
  lookups.file("two/b.h").flags({"-Ione", "-Itwo"}).file("one/a.h");
  EXPECT_THAT(lookups.list(), IsEmpty());
  TestTu tu(lines + kKernel);
  std::filesystem::create_directories(tu.path("one"));
  std::filesystem::create_directories(tu.path("two"));
  tu.file("one/a.h", "#if __has_include_next(<b.h>)\n#endif\n").file("two/b.h", "").flags({"-Ione", "-Itwo"});
  EXPECT_THAT(tu.slice().lookups, ElementsAre(region::Lookup{tu.path("two/b.h"), true}));
}

TEST(Lookups, NameTheFolderWhereThatIsMissing) {
  EXPECT_THAT(LookupsOf("#include \"sub/deep/a.cuh\"\n").file("one/sub/deep/a.cuh").flags({"-Ione"}).list(),
              ElementsAre("-sub"));
  EXPECT_THAT(LookupsOf("").flags({"-Igone/deep"}).list(), ElementsAre("-gone"));
}

TEST(Lookups, AreToldOfASourceThatLacksAHeader) {
  EXPECT_THAT(LookupsOf("#include \"a.cuh\"\n").file("one/x").flags({"-Ione"}).list_of_refused(),
              UnorderedElementsAre("-a.cuh", "-one/a.cuh"));
}

TEST(Lookups, KnowNothingOfTheParsersOwnFiles) {
  TestTu tu("#include <cuda_runtime.h>\n" + kKernel);
  for (const region::Lookup& lookup : tu.slice().lookups) ADD_FAILURE() << lookup.path;
}

}  // namespace
}  // namespace cudahot::extract
