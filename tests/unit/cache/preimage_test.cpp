#include "cache/preimage.hpp"

#include <functional>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using region::Tier;
using testing::ElementsAre;
using testing::HasSubstr;

// Everything that cubin_key looks at.
struct Inputs {
  region::Slice slice = region::example_slice();
  region::SmArch arch{90, region::SmArch::Suffix::architecture};
  Tier tier = Tier::full;
  base::ToolkitIdentity toolkit = example_toolkit();
  base::Digest helper_library = example_helper_library();

  CacheKey key() const { return cubin_key(slice, arch, tier, toolkit, helper_library); }
};

Inputs example_inputs(Tier tier) {
  Inputs inputs;
  inputs.tier = tier;
  inputs.slice.options = {"-use_fast_math", "-DSIZE=4"};
  inputs.slice.files.push_back({"/toolkit/include/cuda_fp16.h", "cuda_fp16.h", region::FileRecord::Role::device_header,
                                base::digest("fp16"), base::digest("fp16")});
  inputs.slice.files.push_back({"/usr/include/stdio.h", "stdio.h", region::FileRecord::Role::other,
                                base::digest("stdio"), base::digest("stdio")});
  inputs.slice.files.push_back({"/toolkit/lib/libcudadevrt.a", "libcudadevrt.a",
                                region::FileRecord::Role::device_runtime, base::digest("runtime"),
                                base::digest("runtime")});
  return inputs;
}
constexpr std::size_t kDeviceHeader = 2;
constexpr std::size_t kHostHeader = 3;
constexpr std::size_t kDeviceRuntime = 4;

struct Change {
  const char* what;
  std::function<void(Inputs&)> apply;
};

const std::vector<Change>& changes_that_count() {
  static const std::vector<Change> changes = {
      {"one byte of the text", [](Inputs& i) { i.slice.text[i.slice.text.find("*p = 1") + 5] = '9'; }},
      {"a path in the text, as line information and __FILE__ have it",
       [](Inputs& i) { i.slice.text = region::replaced(i.slice.text, "0/a.cu", "/src/a.cu"); }},
      {"text of a region made longer", [](Inputs& i) { i.slice.text.insert(i.slice.regions[0].body.begin, " "); }},
      {"architecture number", [](Inputs& i) { i.arch.number = 100; }},
      {"architecture suffix a -> none", [](Inputs& i) { i.arch.suffix = region::SmArch::Suffix::none; }},
      {"architecture suffix a -> f", [](Inputs& i) { i.arch.suffix = region::SmArch::Suffix::family; }},
      {"tier", [](Inputs& i) { i.tier = i.tier == Tier::full ? Tier::quick : Tier::full; }},
      {"an option", [](Inputs& i) { i.slice.options[1] = "-DSIZE=5"; }},
      {"an option more", [](Inputs& i) { i.slice.options.emplace_back(""); }},
      {"an option less", [](Inputs& i) { i.slice.options.pop_back(); }},
      {"order of options", [](Inputs& i) { std::swap(i.slice.options[0], i.slice.options[1]); }},
      {"two options joined", [](Inputs& i) { i.slice.options = {"-use_fast_math-DSIZE=4"}; }},
      {"end of the first segment and the text that it has in the quick tier",
       [](Inputs& i) {
         i.slice.text.insert(0, "\n");
         ++i.slice.segments[0].range.end;
       }},
      {"name of a kernel", [](Inputs& i) { i.slice.kernels[0].name = "ns::f"; }},
      {"name expression of a kernel", [](Inputs& i) { i.slice.kernels[0].name_expression = "f<int>"; }},
      {"mangled name of a kernel", [](Inputs& i) { i.slice.kernels[0].mangled_name = "_Z1fPi"; }},
      {"a hot kernel less", [](Inputs& i) { i.slice.kernels.pop_back(); }},
      {"NVRTC", [](Inputs& i) { i.toolkit.nvrtc = "nvrtc-build-2"; }},
      {"nvJitLink", [](Inputs& i) { i.toolkit.nvjitlink = "nvjitlink-build-2"; }},
      {"NVRTC's identity moved to nvJitLink's",
       [](Inputs& i) { i.toolkit = {"", "nvrtc-build-1nvjitlink-build-1", ""}; }},
      {"content of a device header", [](Inputs& i) { ++i.slice.files[kDeviceHeader].content.low; }},
      {"upper half of a device header's digest", [](Inputs& i) { ++i.slice.files[kDeviceHeader].content.high; }},
      {"name of a device header", [](Inputs& i) { i.slice.files[kDeviceHeader].virtual_name = "cuda_bf16.h"; }},
      {"a device header of another folder first, under one name",
       [](Inputs& i) {
         i.slice.files.push_back(i.slice.files[kDeviceHeader]);
         ++i.slice.files.back().content.low;
         std::swap(i.slice.files.back(), i.slice.files[kDeviceHeader]);
       }},
      {"a device header less", [](Inputs& i) { i.slice.files.erase(i.slice.files.begin() + kDeviceHeader); }},
      {"whether device headers are used", [](Inputs& i) { i.slice.uses_device_headers = false; }},
      {"content of the device runtime", [](Inputs& i) { ++i.slice.files[kDeviceRuntime].content.low; }},
      {"whether the device runtime is used", [](Inputs& i) { i.slice.files.pop_back(); }},
      {"whether the helper library is used", [](Inputs& i) { i.slice.uses_helper_library = false; }},
      {"helper library, low half", [](Inputs& i) { ++i.helper_library.low; }},
      {"helper library, high half", [](Inputs& i) { ++i.helper_library.high; }},
  };
  return changes;
}

// What moving the tree, or a change that never reaches the compiler, changes.
const std::vector<Change>& changes_that_do_not_count() {
  static const std::vector<Change> changes = {
      {"paths of all files",
       [](Inputs& i) {
         for (auto& file : i.slice.files) file.path = "/moved" + file.path;
       }},
      {"working directory", [](Inputs& i) { i.slice.working_directory = "/moved"; }},
      {"arguments of the extractor", [](Inputs& i) { i.slice.extract_arguments = {"--", "-I/moved/include"}; }},
      {"architectures asked for beside this one", [](Inputs& i) { i.slice.architectures.pop_back(); }},
      {"content of a host header", [](Inputs& i) { ++i.slice.files[kHostHeader].content.low; }},
      {"digest of the main file", [](Inputs& i) { ++i.slice.files[0].content.low; }},
      {"digest outside the regions", [](Inputs& i) { ++i.slice.files[0].outside_regions.low; }},
      {"name of a region", [](Inputs& i) { i.slice.regions[0].name = "renamed"; }},
      {"toolkit version for people", [](Inputs& i) { i.toolkit.version = "13.0"; }},
  };
  return changes;
}

class CubinKey : public testing::TestWithParam<Tier> {};

TEST_P(CubinKey, ChangesWithEachInput) {
  const CacheKey before = example_inputs(GetParam()).key();
  for (const Change& change : changes_that_count()) {
    Inputs inputs = example_inputs(GetParam());
    change.apply(inputs);
    EXPECT_NE(inputs.key().digest, before.digest) << change.what;
    EXPECT_NE(inputs.key().preimage, before.preimage) << change.what;
  }
}

TEST_P(CubinKey, StaysWithWhatDoesNotReachTheOutput) {
  const CacheKey before = example_inputs(GetParam()).key();
  for (const Change& change : changes_that_do_not_count()) {
    Inputs inputs = example_inputs(GetParam());
    change.apply(inputs);
    EXPECT_EQ(inputs.key(), before) << change.what;
  }
}

INSTANTIATE_TEST_SUITE_P(BothTiers, CubinKey, testing::Values(Tier::quick, Tier::full),
                         [](const auto& tier) { return std::string(region::to_string(tier.param)); });

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const Inputs& inputs) {
  Fields fields;
  const auto parsed = parse_preimage(inputs.key().preimage);
  for (const Field& field : parsed.value()) fields.emplace_back(field.tag, field.bytes);
  return fields;
}

TEST_P(CubinKey, HasNoFieldThatNoneOfTheseInputsChanges) {
  const auto by_tag = [](const Fields& fields) {
    std::map<std::string, std::vector<std::string>> values;
    for (const auto& [tag, bytes] : fields) values[tag].push_back(bytes);
    return values;
  };
  const auto before = by_tag(fields_of(example_inputs(GetParam())));
  std::set<std::string> untouched = {};
  for (const auto& [tag, values] : before) untouched.insert(tag);
  for (const Change& change : changes_that_count()) {
    Inputs inputs = example_inputs(GetParam());
    change.apply(inputs);
    const auto after = by_tag(fields_of(inputs));
    for (const auto& [tag, values] : before) {
      if (!after.contains(tag) || after.at(tag) != values) untouched.erase(tag);
    }
  }
  EXPECT_THAT(untouched, ElementsAre("kind", "vers")) << "what is constant in this version";
}

TEST_P(CubinKey, ChangesWithEachFieldOfItsPreimage) {
  const Fields fields = fields_of(example_inputs(GetParam()));
  const auto key_of = [](const Fields& list) {
    Preimage preimage;
    for (const auto& [tag, bytes] : list) preimage.add(tag, bytes);
    return make_key(preimage).digest;
  };
  const base::Digest before = example_inputs(GetParam()).key().digest;
  ASSERT_EQ(key_of(fields), before);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Fields other = fields;
    other[i].second += '1';
    EXPECT_NE(key_of(other), before) << "bytes of " << fields[i].first;
    other = fields;
    other[i].first[0] ^= 1;
    EXPECT_NE(key_of(other), before) << "tag of " << fields[i].first;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(key_of(other), before) << "without " << fields[i].first;
  }
}

TEST(CubinKeyFormat, BeginsWithTheVersionOfThePreimage) {
  const Fields fields = fields_of(example_inputs(Tier::full));
  EXPECT_EQ(fields[0], std::pair(std::string("vers"), std::to_string(kPreimageVersion)));
}

TEST(CubinKeySegments, CountInTheQuickTierOnly) {
  const std::vector<Change> changes = {
      {"kind", [](Inputs& i) { i.slice.segments[0].kind = region::Segment::Kind::helper; }},
      {"end", [](Inputs& i) { --i.slice.segments[0].range.end; }},
      {"begin", [](Inputs& i) { --i.slice.segments[1].range.begin; }},
      {"declaration end", [](Inputs& i) { --i.slice.segments[0].declaration_end; }},
      {"one less", [](Inputs& i) { i.slice.segments.pop_back(); }},
  };
  for (const Change& change : changes) {
    Inputs quick = example_inputs(Tier::quick);
    Inputs full = example_inputs(Tier::full);
    change.apply(quick);
    change.apply(full);
    EXPECT_NE(quick.key().digest, example_inputs(Tier::quick).key().digest) << change.what;
    EXPECT_EQ(full.key(), example_inputs(Tier::full).key()) << change.what;
  }
}

TEST(CubinKeyDeviceHeaders, CountOnlyWhereTheTextUsesThem) {
  Inputs inputs = example_inputs(Tier::full);
  inputs.slice.uses_device_headers = false;
  const CacheKey before = inputs.key();
  ++inputs.slice.files[kDeviceHeader].content.low;
  EXPECT_EQ(inputs.key(), before);
}

TEST(CubinKeyFormat, IsWhatKeysOnDisksWereMadeWith) {
  region::Slice slice;
  slice.text = "__global__ void f() {}\n";
  slice.kernels = {{"f", "f", "_Z1fv", 0, 1, {}, {}}};
  slice.files = {{"/f.cu", "f.cu", region::FileRecord::Role::main, {}, {}}};
  const CacheKey key = cubin_key(slice, {90}, Tier::full, {"13.0.88", "a", "b"}, {1, 2});
  // A change here makes every cache miss: raise kPreimageVersion with it.
  EXPECT_EQ(base::to_hex(key.digest), "5af3351c7860d6d06a6f51db6e49cac6");
}

TEST(HelperLibraryKey, ChangesWithEachInput) {
  const auto key = [](std::string_view form, region::SmArch arch, base::ToolkitIdentity toolkit, base::Digest source) {
    return helper_library_key(form, arch, toolkit, source).digest;
  };
  const base::Digest before = key("cubin", {90}, example_toolkit(), {1, 2});
  EXPECT_EQ(key("cubin", {90}, example_toolkit(), {1, 2}), before);
  EXPECT_NE(key("ltoir", {90}, example_toolkit(), {1, 2}), before);
  EXPECT_NE(key("cubin", {100}, example_toolkit(), {1, 2}), before);
  EXPECT_NE(key("cubin", {90, region::SmArch::Suffix::architecture}, example_toolkit(), {1, 2}), before);
  EXPECT_NE(key("cubin", {90}, {"13.0.88", "other", "nvjitlink-build-1"}, {1, 2}), before);
  EXPECT_NE(key("cubin", {90}, {"13.0.88", "nvrtc-build-1", "other"}, {1, 2}), before);
  EXPECT_NE(key("cubin", {90}, example_toolkit(), {1, 3}), before);
  EXPECT_EQ(key("cubin", {90}, {"13", "nvrtc-build-1", "nvjitlink-build-1"}, {1, 2}), before);
}

TEST(Preimage, IsTheTagTheLengthAndTheBytes) {
  Preimage preimage;
  preimage.add("text", "ab");
  EXPECT_EQ(preimage.bytes(), std::string("text\x02\0\0\0\0\0\0\0ab", 14));
}

TEST(Preimage, ParsesBackIntoItsFields) {
  Preimage preimage;
  preimage.add("text", std::string("a\0b", 3));
  preimage.add("optn", "");
  preimage.add("optn", std::string(300, 'x'));
  const auto fields = parse_preimage(preimage.bytes());
  ASSERT_TRUE(fields);
  ASSERT_EQ(fields->size(), 3u);
  EXPECT_EQ((*fields)[0].tag, "text");
  EXPECT_EQ((*fields)[0].bytes, std::string("a\0b", 3));
  EXPECT_EQ((*fields)[1].bytes, "");
  EXPECT_EQ((*fields)[2].bytes, std::string(300, 'x'));
}

TEST(Preimage, DifferentListsOfFieldsGiveDifferentBytes) {
  const auto bytes = [](const std::vector<std::string>& options) {
    Preimage preimage;
    for (const std::string& option : options) preimage.add("optn", option);
    return preimage.bytes();
  };
  EXPECT_NE(bytes({"ab", "c"}), bytes({"a", "bc"}));
  EXPECT_NE(bytes({"abc"}), bytes({"ab", "c"}));
  EXPECT_NE(bytes({"abc", ""}), bytes({"abc"}));
  // One value that spells out another field.
  EXPECT_NE(bytes({"a", "b"}), bytes({std::string("aoptn\x01\0\0\0\0\0\0\0b", 14)}));
}

TEST(ParsePreimage, RefusesDamage) {
  Preimage preimage;
  preimage.add("text", "abc");
  const std::string good = preimage.bytes();
  for (std::size_t size = 1; size < good.size(); ++size) {
    const auto fields = parse_preimage(std::string_view(good).substr(0, size));
    ASSERT_FALSE(fields) << size;
    EXPECT_EQ(fields.error().code, ErrorCode::damaged);
  }
  std::string huge = good;
  huge[11] = '\xff';
  EXPECT_THAT(parse_preimage(huge).error().message, HasSubstr("3 are there"));
  EXPECT_FALSE(parse_preimage(good + "x"));
  EXPECT_TRUE(parse_preimage("").value().empty());
}

}  // namespace
}  // namespace cudahot::cache
