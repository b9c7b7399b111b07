// What stands behind the database of a bundle, and starts from it.
#include <csignal>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "cache/file_header.hpp"
#include "cache/salvage.hpp"
#include "cache/sqlite.hpp"
#include "cache/start_section.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const region::SmArch k90{90, region::SmArch::Suffix::architecture};
const region::SmArch k100{100};

class StartSectionTest : public CacheTest {
 protected:
  // A slice for two architectures, of which the bundle has the code of the first.
  StartSectionTest() {
    slice_ = {region::example_slice(), example_toolkit(), example_helper_library()};
    slice_.slice.architectures = {k90, k100};
    artifact_ = example_artifact(std::string(1000, 'x'));
    artifact_.tier = region::Tier::full;
    make("app.cudahot");
    original_ = base::read_file(path("app.cudahot")).value();
    database_bytes_ = parse_header(original_).value().database_bytes;
  }

  // What a build after an edit makes.
  std::string of_an_edited_source() {
    slice_.slice.text += "// edited\n";
    artifact_.blob = std::string(1000, 'y');
    make("edited.cudahot");
    return base::read_file(path("edited.cudahot")).value();
  }

  void make(const char* name) {
    key_ = cubin_key(slice_.slice, k90, region::Tier::full, slice_.toolkit, slice_.helper_library);
    Store bundle = open(name, Store::Mode::create_bundle);
    ASSERT_TRUE(bundle.insert(key_, artifact_));
    ASSERT_TRUE(bundle.put_slice(slice_));
    const auto finished = bundle.finish();
    ASSERT_TRUE(finished) << finished.error().message;
  }

  void write(const std::string& content) { ASSERT_TRUE(base::write_file_atomically(path("app.cudahot"), content)); }

  Layers layers() {
    LayersOptions options;
    options.bundles = {path("app.cudahot")};
    options.log = [this](LogLevel, std::string_view text) { log.emplace_back(text); };
    return Layers(std::move(options));
  }

  std::optional<Layers::ShippedHit> shipped(Layers& layers, const region::SmArch& arch = k90,
                                            region::Tier tier = region::Tier::full) {
    const auto slices = layers.slices();
    if (slices.size() != 1 || slices[0].head != region::head_of(slice_.slice)) {
      ADD_FAILURE() << slices.size() << " slices, or another one";
      return std::nullopt;
    }
    return layers.find_shipped(slices[0], arch, tier, example_helper_library());
  }

  // All but what is there for people.
  static bool is_code_of(const Artifact& found, const Artifact& stored) {
    return found.kind == stored.kind && found.arch == stored.arch && found.tier == stored.tier &&
           found.kernels == stored.kernels && found.lowered_names == stored.lowered_names && found.blob == stored.blob;
  }

  Store::StoredSlice slice_;
  Artifact artifact_;
  CacheKey key_;
  std::string original_;
  std::size_t database_bytes_ = 0;
};

TEST_F(StartSectionTest, GivesSlicesAndCodeWithoutTheDatabase) {
  write(std::string(database_bytes_, '\0') + original_.substr(database_bytes_));
  Layers layers = this->layers();
  const auto slices = layers.slices();
  ASSERT_THAT(slices, SizeIs(1));
  EXPECT_EQ(slices[0].head, region::head_of(slice_.slice));
  EXPECT_EQ(slices[0].toolkit, example_toolkit());
  EXPECT_EQ(slices[0].helper_library, example_helper_library());
  const auto hit = layers.find_shipped(slices[0], k90, region::Tier::full, example_helper_library());
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->key, key_.digest);
  EXPECT_TRUE(is_code_of(*hit->artifact, artifact_));
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StartSectionTest, GivesTheSliceInFullFromTheDatabase) {
  Layers layers = this->layers();
  EXPECT_EQ(layers.slice(layers.slices().at(0)).value(), slice_.slice);
}

TEST_F(StartSectionTest, HasNoCodeForWhatTheBundleHasNot) {
  Layers layers = this->layers();
  EXPECT_FALSE(shipped(layers, k100));
  EXPECT_FALSE(shipped(layers, k90, region::Tier::quick));
  EXPECT_FALSE(shipped(layers, {90}));
}

TEST_F(StartSectionTest, HasCodeForTheCpuDeviceWhoseCompilerIsNotOfTheSlicesToolkit) {
  std::filesystem::remove(path("app.cudahot"));
  slice_.slice.architectures = {k90, region::kCpuX86_64};
  artifact_.arch = region::kCpuX86_64;
  artifact_.source = region::main_file(slice_.slice).path;
  key_ = cubin_key(slice_.slice, region::kCpuX86_64, region::Tier::full, {"", "clang 22", ""}, slice_.helper_library);
  Store bundle = open("app.cudahot", Store::Mode::create_bundle);
  ASSERT_TRUE(bundle.insert(key_, artifact_));
  ASSERT_TRUE(bundle.put_slice(slice_));
  ASSERT_TRUE(bundle.finish());
  Layers layers = this->layers();
  const auto hit = shipped(layers, region::kCpuX86_64);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->key, key_.digest);
  EXPECT_TRUE(is_code_of(*hit->artifact, artifact_));
}

TEST_F(StartSectionTest, IsNotUsedByAProgramWithAnotherHelperLibrary) {
  Layers layers = this->layers();
  EXPECT_FALSE(layers.find_shipped(layers.slices().at(0), k90, region::Tier::full, {0x1111, 0x3333}));
}

// Another tier's code under the key, a slice edited since: what is found must be what the slice asks for.
TEST_F(StartSectionTest, NamesCodeOnlyUnderTheKeyOfItsSlice) {
  std::filesystem::remove(path("app.cudahot"));
  {
    Store bundle = open("app.cudahot", Store::Mode::create_bundle);
    ASSERT_TRUE(bundle.insert(key_, artifact_));
    slice_.slice.text += "// edited\n";
    ASSERT_TRUE(bundle.put_slice(slice_));
    ASSERT_TRUE(bundle.finish());
  }
  Layers layers = this->layers();
  EXPECT_FALSE(shipped(layers));
}

TEST_F(StartSectionTest, KeysOfAnotherVersionOfThePreimageAreNotUsed) {
  std::string other = original_;
  const std::size_t version = other.rfind("vers") + 12;
  ASSERT_EQ(other.substr(version, 1), fmt::format("{}", kPreimageVersion));
  other[version] = '0';
  const std::size_t index = version - 12;
  const std::size_t footer = other.size() - 48;
  const base::Digest digest = base::digest(std::string_view(other).substr(index, footer - index));
  for (std::size_t i = 0; i < 8; ++i) {
    other[footer + 16 + i] = static_cast<char>(digest.high >> (56 - 8 * i));
    other[footer + 24 + i] = static_cast<char>(digest.low >> (56 - 8 * i));
  }
  for (std::size_t i = 0; i < 4; ++i) other[60 + i] = static_cast<char>(digest.low >> (24 - 8 * i));
  write(other);
  Layers layers = this->layers();
  EXPECT_FALSE(shipped(layers));
  EXPECT_TRUE(layers.find(key_)) << "which the program computes, and the database has";
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StartSectionTest, BundleWithoutOneGivesTheSameSlices) {
  write(original_.substr(0, database_bytes_));
  Layers layers = this->layers();
  EXPECT_FALSE(shipped(layers));
  EXPECT_EQ(layers.slice(layers.slices().at(0)).value(), slice_.slice);
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StartSectionTest, FlippedBitNeverGivesOtherCodeAndIsToldOnce) {
  for (std::size_t at = database_bytes_; at < original_.size(); ++at) {
    SCOPED_TRACE(at - database_bytes_);
    std::string flipped = original_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write(flipped);
    log.clear();
    Layers layers = this->layers();
    const auto hit = shipped(layers);
    ASSERT_TRUE(!hit || is_code_of(*hit->artifact, artifact_));
    ASSERT_LE(log.size(), 1u);
    if (!log.empty()) {
      ASSERT_EQ(log[0],
                fmt::format("bundle: the start section of '{}' is damaged, so that starts take longer; make the "
                            "file again",
                            path("app.cudahot").string()));
    }
  }
}

TEST_F(StartSectionTest, CutAnywhereGivesTheSameSlices) {
  for (std::size_t size = original_.size(); --size > database_bytes_;) {
    log.clear();
    write(original_.substr(0, size));
    Layers layers = this->layers();
    ASSERT_FALSE(shipped(layers)) << size;
    ASSERT_THAT(log, ElementsAre(HasSubstr("the start section of"))) << size;
  }
}

TEST_F(StartSectionTest, OfAnotherDatabaseIsNotUsed) {
  const std::string edited = of_an_edited_source();
  ASSERT_EQ(edited.size(), original_.size());
  write(edited.substr(0, database_bytes_) + original_.substr(database_bytes_));
  Layers layers = this->layers();
  EXPECT_FALSE(shipped(layers));
  EXPECT_EQ(layers.slice(layers.slices().at(0)).value(), slice_.slice) << "which the database has";
  EXPECT_EQ(layers.find(key_)->artifact->blob, artifact_.blob);
  EXPECT_THAT(log, ElementsAre(HasSubstr("the start section of")));
  EXPECT_EQ(open("app.cudahot", Store::Mode::read_only).verify().value().at(0).subject, "start section");
}

TEST_F(StartSectionTest, BundleThatIsReplacedRemovedOrOutOfSightStaysWhatItWasForAProgram) {
  const region::Slice before = slice_.slice;
  const CacheKey key = key_;
  const std::string edited = of_an_edited_source();
  const auto here = std::filesystem::current_path();
  const std::function<void()> changes[] = {
      [&] { write(edited); },
      [&] { std::filesystem::remove(path("app.cudahot")); },
      [&] { std::filesystem::current_path("/"); },
  };
  for (const auto& change : changes) {
    write(original_);
    std::filesystem::current_path(path(""));
    LayersOptions options;
    options.bundles = {"app.cudahot"};
    options.log = [this](LogLevel, std::string_view text) { log.emplace_back(text); };
    Layers layers(std::move(options));
    const auto slices = layers.slices();
    change();
    EXPECT_EQ(layers.slice(slices.at(0)).value(), before);
    EXPECT_EQ(layers.find(key)->artifact->blob, std::string(1000, 'x'));
    EXPECT_FALSE(layers.find(key_)) << "of the edited source";
  }
  std::filesystem::current_path(here);
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StartSectionTest, MissingSliceIsNoTroubleOfTheBundle) {
  Layers layers = this->layers();
  auto shipped = layers.slices().at(0);
  shipped.head.source = "/src/other.cu";
  EXPECT_EQ(layers.slice(shipped).error().code, ErrorCode::not_found);
  EXPECT_EQ(layers.slice(layers.slices().at(0)).value(), slice_.slice);
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StartSectionTest, UnreadableDatabaseIsToldByWhoAsksWithItsReason) {
  write(std::string(database_bytes_, '\0') + original_.substr(database_bytes_));
  Layers layers = this->layers();
  const auto slices = layers.slices();
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(layers.slice(slices.at(0)).error().message, HasSubstr("cannot use '" + path("app.cudahot").string()));
  }
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StartSectionTest, RepairMakesItAnew) {
  std::string damaged = original_;
  damaged[database_bytes_ + 20] = static_cast<char>(~damaged[database_bytes_ + 20]);
  write(damaged);
  ASSERT_TRUE(salvage(path("app.cudahot"), path("repaired.cudahot"), DatabaseKind::bundle));
  std::filesystem::rename(path("repaired.cudahot"), path("app.cudahot"));
  EXPECT_THAT(open("app.cudahot", Store::Mode::read_only).verify().value(), IsEmpty());
  Layers layers = this->layers();
  EXPECT_TRUE(shipped(layers));
}

TEST_F(StartSectionTest, FileThatIsCutWhileItIsOpenIsDamage) {
  Layers layers = this->layers();
  const auto slices = layers.slices();
  std::filesystem::resize_file(path("app.cudahot"), database_bytes_);
  EXPECT_FALSE(layers.find_shipped(slices.at(0), k90, region::Tier::full, example_helper_library()));
  EXPECT_THAT(log, ElementsAre(HasSubstr("the start section of")));
}

TEST_F(StartSectionTest, IsNoPartOfTheDatabase) {
  auto database = Database::open(path("app.cudahot"), Database::Access::read_write).value();
  EXPECT_THAT(database.integrity_problems().value(), IsEmpty());
  EXPECT_THAT(open("app.cudahot", Store::Mode::read_only).verify().value(), IsEmpty());
}

TEST_F(StartSectionTest, VerifyNamesItsDamage) {
  const std::size_t record = original_.find(artifact_.blob, database_bytes_);
  ASSERT_NE(record, std::string::npos);
  for (const std::size_t at : {record, original_.size() - 60}) {
    std::string damaged = original_;
    damaged[at] = static_cast<char>(~damaged[at]);
    write(damaged);
    const auto problems = open("app.cudahot", Store::Mode::inspect).verify().value();
    ASSERT_THAT(problems, SizeIs(1)) << at;
    EXPECT_EQ(problems[0].subject, "start section");
  }
}

TEST_F(StartSectionTest, BundleIsRemovedWhenItsSectionCannotBeWritten) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = database_bytes_ + 100;
  Status finished;
  {
    Store bundle = open("other.cudahot", Store::Mode::create_bundle);
    ASSERT_TRUE(bundle.insert(key_, artifact_));
    ASSERT_TRUE(bundle.put_slice(slice_));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    finished = bundle.finish();
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, HasSubstr("cannot write '" + path("other.cudahot").string() + "': File too"));
  EXPECT_THAT(files(), ElementsAre("app.cudahot"));
}

}  // namespace
}  // namespace cudahot::cache
