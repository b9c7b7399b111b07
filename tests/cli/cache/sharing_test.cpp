// cudahot-cache export, import and merge.
#include "tests/cli/cache/cache_run.hpp"

namespace cudahot::cache {
namespace {

using region::SmArch;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr SmArch k80{80};
constexpr SmArch k90{90};

class SharingCli : public CacheCli {
 protected:
  static Store::StoredSlice slice_for(std::vector<SmArch> architectures) {
    Store::StoredSlice stored{region::example_slice(), example_toolkit(), example_helper_library()};
    std::string list;
    for (const auto& arch : architectures) {
      if (!list.empty()) list += ',';
      list += region::to_string(arch);
    }
    stored.slice.architectures = std::move(architectures);
    stored.slice.extract_arguments = {"--arch", list, "--no-nvcc-variables"};
    return stored;
  }

  // The CUBINs of a slice, full tier, as a build of one architecture or several leaves them.
  void make_build(const std::string& name, const Store::StoredSlice& stored) {
    Store bundle = open(name, Store::Mode::create_bundle);
    ASSERT_TRUE(bundle.put_slice(stored));
    for (const auto& arch : stored.slice.architectures) {
      Artifact artifact = example_artifact("CUBIN for " + region::to_string(arch));
      artifact.arch = arch;
      artifact.tier = region::Tier::full;
      artifact.source = region::main_file(stored.slice).path;
      const CacheKey key = cubin_key(stored.slice, arch, artifact.tier, stored.toolkit, stored.helper_library);
      ASSERT_TRUE(bundle.insert(key, artifact));
      Artifact library = example_artifact("library for " + region::to_string(arch));
      library.kind = ArtifactKind::library_cubin;
      library.arch = arch;
      library.source.clear();
      library.name = "helper library";
      ASSERT_TRUE(bundle.insert(helper_library_key("cubin", arch, stored.toolkit, stored.helper_library), library));
    }
    ASSERT_TRUE(bundle.finish());
  }

  std::vector<Store::StoredSlice> slices(const std::string& name) {
    return open(name, Store::Mode::read_only).slices().value();
  }

  std::vector<std::string> architectures(const std::string& name) {
    std::vector<std::string> result;
    const auto entries = open(name, Store::Mode::read_only).list().value();
    for (const auto& entry : entries) {
      result.push_back(region::to_string(entry.arch));
    }
    return result;
  }
};

TEST_F(SharingCli, ExportMakesABundleOfTheChosenEntries) {
  const auto outcome = run({"export", path("some.cudahot"), "--tier", "quick"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 entry and 0 slices"));
  EXPECT_THAT(names({"--db", path("some.cudahot"), "ls"}), ElementsAre("alpha"));
  EXPECT_EQ(open("some.cudahot", Store::Mode::read_only).find(example_key("alpha")).value()->blob, "1");
  EXPECT_TRUE(open("some.cudahot", Store::Mode::read_only).is_bundle().value());
  EXPECT_EQ(run({"export", path("one.cudahot"), key("beta")}).exit_code, 0);
  EXPECT_THAT(names({"--db", path("one.cudahot"), "ls"}), ElementsAre("beta"));
}

TEST_F(SharingCli, HelperLibrariesComeAlongWithTheirArchitecture) {
  EXPECT_EQ(run({"export", path("a.cudahot"), "--name", "gamma"}).exit_code, 0);
  EXPECT_THAT(names({"--db", path("a.cudahot"), "ls"}), UnorderedElementsAre("gamma", "helper library"));
  EXPECT_EQ(run({"export", path("b.cudahot"), "--name", "gamma", "--kind", "kernel"}).exit_code, 0);
  EXPECT_THAT(names({"--db", path("b.cudahot"), "ls"}), ElementsAre("gamma"));
}

TEST_F(SharingCli, ExportOfABundleTakesSlicesForTheArchitecturesThatAreLeft) {
  make_build("all.cudahot", slice_for({k80, k90}));
  const auto outcome = run({"--db", path("all.cudahot"), "export", path("90.cudahot"), "--arch", "90"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(architectures("90.cudahot"), ElementsAre("sm_90", "sm_90"));
  ASSERT_EQ(slices("90.cudahot").size(), 1u);
  EXPECT_EQ(slices("90.cudahot")[0].slice, slice_for({k90}).slice);
}

TEST_F(SharingCli, ExportReplacesOnlyBundlesAndOnlyWhenForced) {
  ASSERT_TRUE(base::write_file_atomically(path("thesis.txt"), "a text"));
  EXPECT_EQ(run({"export", path("a.cudahot"), "--name", "alpha"}).exit_code, 0);
  const auto refused = run({"export", path("a.cudahot")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is there already; --force replaces it"));
  EXPECT_EQ(run({"export", path("a.cudahot"), "--force"}).exit_code, 0);
  EXPECT_EQ(names({"--db", path("a.cudahot"), "ls"}).size(), 4u);
  for (const char* file : {"thesis.txt", "cache.db"}) {
    const auto outcome = run({"export", path(file), "--force"});
    EXPECT_EQ(outcome.exit_code, 2) << file;
    EXPECT_THAT(outcome.err, HasSubstr("is no bundle"));
  }
  EXPECT_EQ(base::read_file(path("thesis.txt")).value(), "a text");
}

TEST_F(SharingCli, NothingIsLeftOfAnExportThatFails) {
  const auto before = files();
  EXPECT_EQ(run({"export", path("none.cudahot"), "--name", "no such"}).exit_code, 2);
  EXPECT_EQ(run({"export", path("no/such/folder.cudahot")}).exit_code, 3);
  EXPECT_EQ(files(), before);
}

TEST_F(SharingCli, FileThatCannotBeMadeIsNamedAsItWasAskedFor) {
  make_build("80.cudahot", slice_for({k80}));
  const std::string out = path("no/such/folder.cudahot");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"export", out}, {"merge", "-o", out, path("80.cudahot")}}) {
    const auto outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("'" + out + "'"), testing::Not(HasSubstr(".tmp"))));
  }
}

TEST_F(SharingCli, ImportCopiesWhatIsNotThere) {
  make_build("app.cudahot", slice_for({k80, k90}));
  const auto first = run({"import", path("app.cudahot")});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("4 entries imported, 0 there already"));
  EXPECT_EQ(run_json({"import", path("app.cudahot")}).at("already_there"), 4);
  EXPECT_EQ(names({"ls"}).size(), 8u);
  EXPECT_EQ(run({"verify"}).exit_code, 0);
}

TEST_F(SharingCli, ImportMakesTheCache) {
  make_build("app.cudahot", slice_for({k80}));
  std::filesystem::remove(path("cache.db"));
  EXPECT_EQ(run({"import", path("app.cudahot")}).exit_code, 0);
  EXPECT_EQ(names({"ls"}).size(), 2u);
  EXPECT_EQ(run({"--db", path("other.db"), "import", path("app.cudahot")}).exit_code, 0);
  EXPECT_EQ(names({"--db", path("other.db"), "ls"}).size(), 2u);
}

TEST_F(SharingCli, ImportLeavesDamagedEntriesOutAndNamesThem) {
  make_build("app.cudahot", slice_for({k80, k90}));
  {
    auto database = Database::open(path("app.cudahot"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute("UPDATE artifact_content SET blob = x'00' WHERE id = 1"));
  }
  const auto outcome = run({"import", path("app.cudahot")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("3 entries imported"), HasSubstr("left out: '"), HasSubstr("does not match its digest")));
  EXPECT_EQ(names({"ls"}).size(), 7u);
}

TEST_F(SharingCli, ImportReadsOlderSchemas) {
  const char* data = std::getenv("CUDAHOT_TEST_DATA");
  const std::filesystem::path golden =
      std::filesystem::path(data == nullptr ? "tests/data" : data) / "cache-v1.cudahot";
  const auto before = base::read_file(golden).value();
  const auto outcome = run({"import", golden});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(names({"ls"}).size(), 4u);
  EXPECT_EQ(base::read_file(golden).value(), before);
}

TEST_F(SharingCli, MergeUnitesSlicesThatDifferInArchitecturesOnly) {
  make_build("80.cudahot", slice_for({k80}));
  make_build("90.cudahot", slice_for({k90}));
  const auto outcome = run({"merge", "-o", path("app.cudahot"), path("80.cudahot"), path("90.cudahot")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(architectures("app.cudahot"), UnorderedElementsAre("sm_80", "sm_80", "sm_90", "sm_90"));
  ASSERT_EQ(slices("app.cudahot").size(), 1u);
  EXPECT_EQ(slices("app.cudahot")[0].slice, slice_for({k80, k90}).slice);
}

TEST_F(SharingCli, ToolkitOfAGpuStandsWithASliceThatIsMergedWithTheCpuDevices) {
  Store::StoredSlice cpu = slice_for({region::kCpuX86_64});
  cpu.toolkit = {"clang 22", "clang-build-1", ""};
  make_build("cpu.cudahot", cpu);
  make_build("90.cudahot", slice_for({k90}));
  EXPECT_EQ(run({"merge", "-o", path("app.cudahot"), path("cpu.cudahot"), path("90.cudahot")}).exit_code, 0);
  ASSERT_EQ(slices("app.cudahot").size(), 1u);
  EXPECT_EQ(slices("app.cudahot")[0].toolkit, example_toolkit());
  EXPECT_EQ(slices("app.cudahot")[0].slice.architectures, (std::vector<SmArch>{region::kCpuX86_64, k90}));
}

TEST_F(SharingCli, MergeOfDifferentTextsIsRefusedAndNamesTheLine) {
  Store::StoredSlice edited = slice_for({k90});
  const auto at = edited.slice.text.find("*p = 2");
  edited.slice.text.replace(at, 6, "*p = 7");
  make_build("80.cudahot", slice_for({k80}));
  make_build("90.cudahot", edited);
  const auto refused = run({"merge", "-o", path("app.cudahot"), path("80.cudahot"), path("90.cudahot")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("'/src/a.cu' is in"), HasSubstr("80.cudahot"), HasSubstr("90.cudahot"),
                                 HasSubstr("0/a.cu:11: '*p = 7;' was '*p = 2;'")));
  EXPECT_FALSE(std::filesystem::exists(path("app.cudahot")));
  EXPECT_EQ(
      run({"merge", "--prefer", "first", "-o", path("app.cudahot"), path("80.cudahot"), path("90.cudahot")}).exit_code,
      0);
  EXPECT_EQ(slices("app.cudahot")[0].slice, slice_for({k80}).slice);
}

TEST_F(SharingCli, MergeLeavesDamagedSlicesOutAndNamesThem) {
  make_build("80.cudahot", slice_for({k80}));
  {
    auto database = Database::open(path("80.cudahot"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute("UPDATE slice SET seal = zeroblob(16)"));
  }
  const auto outcome = run({"merge", "-o", path("app.cudahot"), path("80.cudahot")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("slice /src/a.cu of"));
  EXPECT_THAT(slices("app.cudahot"), IsEmpty());
  EXPECT_EQ(architectures("app.cudahot").size(), 2u);
}

}  // namespace
}  // namespace cudahot::cache
