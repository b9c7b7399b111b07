#include "tools/cudahot-cache/slices.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "cache/difference.hpp"
#include "cache/preimage.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;
using region::Slice;

// The toolkit stands for the GPUs' code, if there is any.
bool is_for_cpu(const Store::StoredSlice& stored) {
  return !stored.slice.architectures.empty() && std::ranges::all_of(stored.slice.architectures, region::is_cpu);
}

// Flags that say for which architectures, with their values: --arch, which stands before them, decides.
std::vector<std::string> without_architectures(const std::vector<std::string>& arguments) {
  static constexpr std::string_view kFlags[] = {"--arch",     "-arch",    "--gpu-architecture", "-code",
                                                "--gpu-code", "-gencode", "--generate-code",    "--cuda-gpu-arch"};
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::string_view flag = argument.substr(0, argument.find('='));
    if (std::ranges::find(kFlags, flag) == std::end(kFlags)) rest.push_back(arguments[i]);
    else if (flag == argument) ++i;
  }
  return rest;
}

std::string different_flags(const std::vector<std::string>& now, const std::vector<std::string>& then) {
  const auto only_in = [](const auto& list, const auto& other) {
    std::vector<std::string> rest;
    std::ranges::copy_if(list, std::back_inserter(rest),
                         [&](const auto& flag) { return std::ranges::find(other, flag) == other.end(); });
    return rest.empty() ? "none" : fmt::format("{}", fmt::join(rest, " "));
  };
  const std::string added = only_in(now, then);
  const std::string removed = only_in(then, now);
  return added == removed ? "the order of flags" : fmt::format("flags: {} were {}", added, removed);
}

std::vector<cache::Field> compiled_from(const Store::StoredSlice& stored, const base::ToolkitIdentity& toolkit) {
  const auto key = cache::cubin_key(stored.slice, {}, region::Tier::quick, toolkit, stored.helper_library);
  const auto fields = cache::parse_preimage(key.preimage);
  return fields ? *fields : std::vector<cache::Field>{};
}

void set_architectures(Slice& slice, std::vector<region::SmArch> architectures) {
  slice.architectures = std::move(architectures);
  auto& arguments = slice.extract_arguments;
  const auto flag = std::ranges::find(arguments, "--arch");
  if (flag == arguments.end() || flag + 1 == arguments.end()) return;
  std::vector<std::string> names;
  for (const auto& arch : slice.architectures) names.push_back(region::to_string(arch));
  *(flag + 1) = fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::string difference(const Store::StoredSlice& a, const Store::StoredSlice& b) {
  std::vector<std::string> found;
  const bool one_toolkit = is_for_cpu(a) == is_for_cpu(b);
  const auto compiled =
      cache::differences(compiled_from(b, b.toolkit), compiled_from(a, one_toolkit ? a.toolkit : b.toolkit));
  for (const auto& one : compiled) found.push_back(fmt::format("{}: {}", cache::to_string(one.reason), one.what));
  const auto add = [&](bool same, std::string_view what) {
    if (!same) found.emplace_back(what);
  };
  if (found.empty()) {  // what follows from another text is not told about
    add(a.slice.regions == b.slice.regions, "regions");
    add(a.slice.kernels == b.slice.kernels, "kernels");
    add(a.slice.files == b.slice.files, "the files that were read");
  }
  const auto flags_of_a = without_architectures(a.slice.extract_arguments);
  const auto flags_of_b = without_architectures(b.slice.extract_arguments);
  // The compiler's options follow from the flags.
  const bool told =
      std::ranges::find(compiled, cache::MissReason::options, &cache::Difference::reason) != compiled.end();
  if (flags_of_a != flags_of_b && !told) found.push_back(different_flags(flags_of_b, flags_of_a));
  add(a.slice.working_directory == b.slice.working_directory, "the folder it was extracted in");
  return fmt::format("{}", fmt::join(found, "; "));
}

Store::StoredSlice unite(const Store::StoredSlice& a, const Store::StoredSlice& b) {
  Store::StoredSlice united = is_for_cpu(a) && !is_for_cpu(b) ? b : a;
  std::vector<region::SmArch> architectures = a.slice.architectures;
  for (const auto& arch : b.slice.architectures) {
    if (std::ranges::find(architectures, arch) == architectures.end()) architectures.push_back(arch);
  }
  set_architectures(united.slice, std::move(architectures));
  return united;
}

Store::StoredSlice restrict(const Store::StoredSlice& slice, const std::vector<region::SmArch>& kept) {
  Store::StoredSlice restricted = slice;
  std::vector<region::SmArch> architectures;
  std::ranges::copy_if(slice.slice.architectures, std::back_inserter(architectures),
                       [&](const auto& arch) { return std::ranges::find(kept, arch) != kept.end(); });
  set_architectures(restricted.slice, std::move(architectures));
  return restricted;
}

}  // namespace cudahot::tool
