// cudahot-cache verify and its repairs.
#include "tests/cli/cache/cache_run.hpp"

namespace cudahot::cache {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class VerifyCli : public CacheCli {
 protected:
  void change(const std::string& file, const char* sql) {
    auto database = Database::open(path(file), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute(sql));
  }

  void overwrite(const std::string& file, std::size_t at, const std::string& bytes) {
    std::string content = base::read_file(path(file)).value();
    content.replace(at, bytes.size(), bytes);
    ASSERT_TRUE(base::write_file_atomically(path(file), content));
  }

  // Three entries whose CUBINs fill pages of their own behind the rest.
  void fill() {
    for (const char* name : {"large 1", "large 2", "large 3"}) {
      put(name, 0, 0, example_artifact(std::string(200'000, name[6])));
    }
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.shrink(0));  // all is in the file itself
  }

  static constexpr std::size_t kPage = 4096;
  static std::size_t page_full_of(char c, const std::string& content) {
    const auto at = content.find(std::string(kPage - 4, c));  // behind the number of the next page
    EXPECT_NE(at, std::string::npos);
    return at / kPage * kPage;
  }

  std::vector<std::string> kept() { return names({"ls", "--sort", "name"}); }

  static constexpr const char* kDamageBeta =
      "UPDATE artifact_content SET blob = x'00' WHERE id = (SELECT id FROM artifact WHERE name = 'beta')";
};

TEST_F(VerifyCli, NamesDamageAndChangesNothing) {
  EXPECT_EQ(run({"verify"}).exit_code, 0);
  change("cache.db", kDamageBeta);
  for (const char* option : {"--json", "--dry-run"}) EXPECT_EQ(run({"verify", option}).exit_code, 1);
  EXPECT_THAT(run({"verify", "--repair", "--dry-run"}).err, HasSubstr("--repair would remove what is damaged"));
  const auto outcome = run({"verify"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(key("beta")), Not(HasSubstr(key("alpha")))));
  EXPECT_THAT(outcome.err, HasSubstr("1 problem of 4 entries"));
  EXPECT_EQ(json::parse(run({"verify", "--json"}).out).at("problems").at(0).at("subject"), key("beta"));
  EXPECT_EQ(run({"show", key("beta")}).exit_code, 1);
  EXPECT_EQ(run({"dump", key("beta")}).exit_code, 1);
}

TEST_F(VerifyCli, RepairRemovesDamagedEntriesAndWhatBelongsToNone) {
  change("cache.db", kDamageBeta);
  change("cache.db", "DELETE FROM artifact_content WHERE id = (SELECT id FROM artifact WHERE name = 'gamma')");
  change("cache.db", "PRAGMA foreign_keys = OFF; DELETE FROM artifact WHERE name = 'helper library'");
  const auto outcome = run({"verify", "--repair"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(key("beta")), HasSubstr(key("gamma")),
                                 HasSubstr("database: 1 contents belong to no entry")));
  EXPECT_THAT(outcome.err, HasSubstr("3 problems; what was damaged is removed"));
  EXPECT_THAT(kept(), ElementsAre("alpha"));
  EXPECT_EQ(run({"verify"}).exit_code, 0);
}

TEST_F(VerifyCli, RepairOfACacheWithADamagedPageSavesTheOtherEntries) {
  fill();
  const std::string content = base::read_file(path("cache.db")).value();
  // The pages of a long value are a list: this one leads nowhere.
  overwrite("cache.db", page_full_of('2', content), std::string(kPage, '\xff'));
  EXPECT_EQ(run({"verify"}).exit_code, 1);
  const auto outcome = run({"verify", "--repair"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the file was made anew with 6 entries"));
  EXPECT_THAT(kept(), ElementsAre("alpha", "beta", "gamma", "helper library", "large 1", "large 3"));
  EXPECT_EQ(run({"verify"}).exit_code, 0);
  EXPECT_EQ(run_json({"ls", "--name", "beta"}).at("entries").at(0).at("hits"), 3);
}

TEST_F(VerifyCli, RepairOfACacheThatWasCutOffSavesWhatIsLeft) {
  fill();
  std::string content = base::read_file(path("cache.db")).value();
  content.resize(content.size() - 100'000);
  ASSERT_TRUE(base::write_file_atomically(path("cache.db"), content));
  EXPECT_EQ(run({"verify"}).exit_code, 1);
  const auto outcome = run({"verify", "--repair"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(kept(), ElementsAre("alpha", "beta", "gamma", "helper library", "large 1", "large 2"))
      << outcome.out << outcome.err;
  EXPECT_EQ(run({"verify"}).exit_code, 0);
}

// SQLite has the beginnings of the values of some entries behind the rest of them: those are lost with the end of the
// file, but nothing else is, and nobody is told to delete what is repaired.
TEST_F(VerifyCli, RepairOfACacheThatLostMostEntriesKeepsWhatIsStillThere) {
  std::filesystem::remove(path("cache.db"));
  for (int i = 0; i < 17; ++i) put("large " + std::to_string(i), 0, 0, example_artifact(std::string(30'000, 'x')));
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.note_miss(example_key("other"), example_artifact()));
    ASSERT_TRUE(store.shrink(0));
  }
  std::filesystem::resize_file(path("cache.db"), 300'000);
  const auto before = run({"verify"});
  EXPECT_EQ(before.exit_code, 1);
  EXPECT_THAT(before.out + before.err, Not(HasSubstr("delete it")));
  const auto outcome = run({"verify", "--repair"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("entries in rows "), Not(HasSubstr("delete it"))));
  EXPECT_THAT(kept().size(), testing::Ge(5u)) << outcome.out;
  EXPECT_EQ(run_json({"stats"}).at("lifetime").at("misses"), 1);
  EXPECT_EQ(
      run_json({"explain", example_artifact().source}).at("sources").at(0).at("lookups").at(0).at("miss").at("key"),
      key("other"));
}

TEST_F(VerifyCli, ProgramsThatHaveTheCacheOpenGoOnWithTheRepairedOne) {
  fill();
  const std::string content = base::read_file(path("cache.db")).value();
  overwrite("cache.db", page_full_of('3', content), std::string(kPage, '\xff'));
  Store program = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(program.find(example_key("alpha")).value());
  EXPECT_EQ(run({"verify", "--repair"}).exit_code, 0);
  EXPECT_TRUE(program.find(example_key("alpha")).value());
  ASSERT_TRUE(program.insert(example_key("new"), example_artifact()));
  EXPECT_TRUE(open("cache.db", Store::Mode::read_write).find(example_key("new")).value());
  EXPECT_EQ(run({"verify"}).exit_code, 0);
}

TEST_F(VerifyCli, RepairOfABundlePutsANewFileInItsPlace) {
  make_bundle("app.cudahot");
  {
    Store bundle = open("more.cudahot", Store::Mode::create_bundle);
    ASSERT_TRUE(bundle.copy(*open("app.cudahot", Store::Mode::read_only).entry(example_key().digest).value()).value());
    ASSERT_TRUE(bundle.copy(*open("cache.db", Store::Mode::inspect).entry(example_key("beta").digest).value()).value());
    ASSERT_TRUE(bundle.put_slice({region::example_slice(), example_toolkit(), example_helper_library()}));
    ASSERT_TRUE(bundle.finish());
  }
  change("more.cudahot", kDamageBeta);
  const auto before = base::stamp_file(path("more.cudahot")).value();
  const auto outcome = run({"--db", path("more.cudahot"), "verify", "--repair"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the file was made anew with 1 entry and 1 slice"));
  EXPECT_NE(base::stamp_file(path("more.cudahot")).value().inode, before.inode) << "programs may have it open";
  EXPECT_EQ(run({"--db", path("more.cudahot"), "verify"}).exit_code, 0);
  EXPECT_THAT(files(), ElementsAre("app.cudahot", "cache.db", "more.cudahot"));
}

TEST_F(VerifyCli, WhatIsNoCacheIsNotRepaired) {
  const std::string text(8192, 't');
  ASSERT_TRUE(base::write_file_atomically(path("thesis.txt"), text));
  EXPECT_EQ(run({"--db", path("thesis.txt"), "verify", "--repair"}).exit_code, 3);
  EXPECT_EQ(base::read_file(path("thesis.txt")).value(), text);
}

}  // namespace
}  // namespace cudahot::cache
