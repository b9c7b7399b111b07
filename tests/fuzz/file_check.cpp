#include "tests/fuzz/file_check.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "lib/base/processes.hpp"
#include "lib/build/compile.hpp"
#include "lib/cuda/cubin_elf.hpp"
#include "lib/region/splice.hpp"
#include "lib/region/text_map.hpp"
#include "tests/fuzz/extract_request.hpp"
#include "tests/fuzz/slice_properties.hpp"

namespace cudahot::fuzz {
namespace {

using region::SpliceOutcome;

constexpr std::string_view kContradictions[] = {"CH010", "CH011", "CH012", "CH016", "CH017", "CH018", "CH019"};

// What nvcc, to which the pragmas mean nothing, takes all the same.
bool is_rule_of_regions(const Diagnostic& error) { return error.id.starts_with("CH") && error.id != "CH022"; }

std::size_t count_lines(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1; }

const Diagnostic* first_error(const std::vector<Diagnostic>& diagnostics) {
  const auto found = std::ranges::find(diagnostics, Severity::error, &Diagnostic::severity);
  return found == diagnostics.end() ? nullptr : &*found;
}

std::string shown(const Diagnostic& diagnostic) {
  return diagnostic.id.empty() ? diagnostic.text : diagnostic.id + " " + diagnostic.text;
}

// What a kernel is, to whoever launches it and to the GPU.
struct KernelCode {
  base::KernelFacts facts;  // without name
  std::string code;

  bool fits(const KernelCode& other) const {
    return facts.parameters == other.facts.parameters && facts.static_shared_bytes == other.facts.static_shared_bytes &&
           facts.max_threads == other.facts.max_threads;
  }
};
using Kernels = std::map<std::string, KernelCode>;

// Without what tells the anonymous namespaces of files apart, which is each compiler's own.
std::string plain_name(std::string name) {
  const std::size_t mark = name.find("_GLOBAL__N_");
  if (mark == std::string::npos) return name;
  std::size_t digits = mark;
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  std::size_t length = 0;
  std::from_chars(name.data() + digits, name.data() + mark, length);
  return name.replace(digits, mark - digits + length, "12_GLOBAL__N_1");
}

std::optional<Kernels> kernels_of(std::string_view cubin) {
  const auto info = cuda::read_cubin(cubin);
  const auto elf = cuda::read_cubin_elf(cubin);
  if (!info || !elf) return std::nullopt;
  Kernels kernels;
  for (const base::KernelFacts& facts : info->kernels) {
    KernelCode& kernel = kernels[plain_name(facts.lowered_name)];
    kernel.facts = facts;
    for (const cuda::ElfSection& section : elf->sections) {
      if (section.name == ".text." + facts.lowered_name) kernel.code = section.content;
    }
  }
  return kernels;
}

std::vector<std::string> words_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::vector<std::string> words;
  if (at == std::string_view::npos) return words;
  text = text.substr(at + key.size());
  text = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Nothing of what only Clang knows.
region::Slice without_interfaces(region::Slice slice) {
  for (region::Region& each : slice.regions) {
    each.in.clear();
    each.out.clear();
    each.declared.clear();
  }
  return slice;
}

}  // namespace

struct FileCheck::State {
  std::filesystem::path path;
  std::string original;
  std::vector<std::string> flags;
  region::SmArch arch{90, region::SmArch::Suffix::none};
  build::Toolchain toolchain{CUDAHOT_TEST_TOOLKIT};
  cache::Layers layers{cache::LayersOptions{}};
  std::string unusable;
  // Of the original.
  std::optional<region::Slice> slice;
  std::optional<Kernels> ours, theirs;

  struct Extracted {
    std::optional<region::Slice> slice;
    std::optional<Diagnostic> error;
    bool no_region = false;
  };

  bool is_users(const SourceLocation& location, std::string_view text) const {
    if (location.file.empty() || location.line == 0) return false;
    const auto file = std::filesystem::weakly_canonical(path.parent_path() / location.file);
    if (file == std::filesystem::weakly_canonical(path)) return location.line <= count_lines(text);
    // Below the folder, or what an edited #line says.
    return file.string().starts_with(path.parent_path().string());
  }

  // Whether a refusal tells the user where.
  bool is_placed(const std::vector<Diagnostic>& diagnostics, std::string_view text) const {
    return first_error(diagnostics) != nullptr &&
           std::ranges::any_of(diagnostics, [&](const Diagnostic& each) { return is_users(each.location, text); });
  }

  Extracted extract_text(std::string_view raw) {
    require(base::write_file_atomically(path, raw).has_value(), "the mutant is written");
    extract::ExtractRequest request = extract_request(path, arch, **toolchain.toolkit());
    request.flags = flags;
    auto report = extract::extract(request);
    Extracted extracted;
    if (!report) {
      require(report.error().code == ErrorCode::source, ("extraction fails: " + report.error().message).c_str());
      extracted.error = Diagnostic{};
      extracted.error->text = report.error().message;
      return extracted;
    }
    const std::string text = base::normalise_source(raw);
    if (const Diagnostic* error = first_error(report->diagnostics)) {
      require(!report->slice, "what has errors has no slice");
      extracted.error = *error;
      require(is_placed(report->diagnostics, text), ("a refusal has a place: " + shown(*error)).c_str());
    }
    extracted.no_region = report->region_count == 0;
    require(report->slice || extracted.error || extracted.no_region, "what has no slice has an error");
    extracted.slice = std::move(report->slice);
    if (extracted.slice) require_right(*extracted.slice, text);
    return extracted;
  }

  // Regions and places are those of the file.
  static void require_right(const region::Slice& made, const std::string& text) {
    require_consistent(made);
    const auto again = region::splice(made, 0, text);
    require(again && again->kind == SpliceOutcome::Kind::unchanged, "a slice is up to date with its file");
    const auto bodies = region::find_region_bodies(text, {});
    if (!bodies) return;
    for (const region::Region& each : made.regions) {
      const auto body = std::ranges::find(*bodies, each.name, &region::RegionBody::name);
      if (each.file != 0 || body == bodies->end()) continue;
      require(made.text.substr(each.body.begin, each.body.size()) == text.substr(body->body.begin, body->body.size()),
              "a region of the slice is the region of the file");
      const SourceLocation begin = region::location_at(made, each.body.begin);
      require(each.first_line == body->first_line, "a region's first line is that of the file");
      const bool renamed = text.find("#line") != std::string::npos;
      require(renamed || (begin.line == body->first_line && begin.file == made.files[0].path),
              "a region's text is placed where the file has it");
    }
  }

  Result<build::Cubin> compile(const region::Slice& made, region::Tier tier) {
    auto program = build::compile(made, arch, tier, toolchain);
    if (!program) return fail(std::move(program.error()));
    return build::link(made, arch, std::move(*program), toolchain, layers);
  }

  // nullopt: refused, and why.
  std::optional<Kernels> compile_with_nvcc(std::string& why) {
    const auto cubin = path.parent_path() / "nvcc.cubin";
    base::ProcessRequest request;
    request.working_directory = path.parent_path();
    request.arguments = {(std::filesystem::path(CUDAHOT_TEST_TOOLKIT) / "bin/nvcc").string(), "-cubin", "-w",
                         "-arch=" + region::to_string(arch)};
    request.arguments.insert(request.arguments.end(), flags.begin(), flags.end());
    request.arguments.insert(request.arguments.end(), {"-o", cubin.string(), path.filename().string()});
    const auto run = base::run_process(request);
    require(run.has_value(), "nvcc can be started");
    if (run->exit_code != 0) {
      const std::size_t error = std::min(run->err.find("error"), run->err.size());
      const std::size_t line = run->err.rfind('\n', error) + 1;
      why = run->err.substr(line, run->err.find('\n', error) - line);
      return std::nullopt;
    }
    const auto bytes = base::read_file(cubin);
    return bytes ? kernels_of(*bytes) : Kernels{};
  }

  static bool has_nvcc() { return std::filesystem::exists(std::filesystem::path(CUDAHOT_TEST_TOOLKIT) / "bin/nvcc"); }

  // Whether the line that nvcc's message begins with is in the slice.
  bool is_device_line(const region::Slice& made, const std::string& why) const {
    const std::size_t at = why.find_first_of("(:");
    std::uint32_t line = 0;
    if (at == std::string::npos) return true;
    std::from_chars(why.data() + at + 1, why.data() + why.size(), line);
    for (std::size_t i = 0; i < made.text.size(); i = std::min(made.text.find('\n', i), made.text.size() - 1) + 1) {
      const std::string_view text = std::string_view(made.text).substr(i, made.text.find('\n', i) - i);
      if (text.empty() || text.starts_with("#line") || text == "//") continue;
      const SourceLocation location = region::location_at(made, i);
      if (location.line == line && location.file == path.string()) return true;
    }
    return false;
  }

  void compare_splice(const Extracted& extracted, const std::string& text, Outcome& outcome) {
    const auto spliced = region::splice(*slice, 0, text);
    if (!spliced || spliced->kind != SpliceOutcome::Kind::spliced) return;
    outcome.spliced = true;
    require_right(spliced->slice, text);
    if (!extracted.slice) {
      const std::string_view id = extracted.error ? std::string_view(extracted.error->id) : "no region";
      if (std::ranges::find(kContradictions, id) != std::end(kContradictions)) {
        outcome.remark = fmt::format("spliced, and Clang says {}", shown(*extracted.error));
      } else if (compile(spliced->slice, region::Tier::full)) {
        outcome.remark = fmt::format("spliced and compiled, and refused as {}",
                                     extracted.error ? shown(*extracted.error) : "no region");
      }
      return;
    }
    const auto back = region::splice(*extracted.slice, 0, original);
    if (without_interfaces(spliced->slice) == without_interfaces(*extracted.slice)) {
      require(!back || back->kind != SpliceOutcome::Kind::spliced || back->slice.text == slice->text,
              "an edit can be undone");
      return;
    }
    const auto one = compile(spliced->slice, region::Tier::full);
    const auto other = compile(*extracted.slice, region::Tier::full);
    if (one && !other) outcome.remark = "compiled as spliced, and not as extracted";
    if (!one && other) outcome.remark = "compiled as extracted, and not as spliced";
    if (!one || !other) return;
    outcome.remark = "spliced to another slice than extraction makes";
    const auto mine = kernels_of(one->blob), right = kernels_of(other->blob);
    require(mine && right, "a CUBIN is read");
    for (const auto& [name, kernel] : *right) {
      const auto found = mine->find(name);
      if (found == mine->end()) outcome.remark += ", with kernel " + name;
      else require(found->second.code == kernel.code, "a spliced slice compiles to the code of the extracted one");
    }
  }

  void compare_with_nvcc(const Extracted& extracted, const std::optional<build::Cubin>& cubin, Outcome& outcome) {
    std::string why;
    const auto right = compile_with_nvcc(why);
    outcome.compared = true;
    if (!right && cubin && is_device_line(*extracted.slice, why)) {
      outcome.remark += "compiled, and nvcc says " + why;
    } else if (right && outcome.kind == Outcome::Kind::refused && !is_rule_of_regions(*extracted.error)) {
      outcome.remark += "nvcc takes it, and refused as " + outcome.why;
    } else if (right && outcome.kind == Outcome::Kind::not_compiled) {
      outcome.remark += "nvcc takes it, and NVRTC says " + outcome.why;
    }
    if (!right || !cubin) return;
    const auto mine = kernels_of(cubin->blob);
    require(mine.has_value(), "a CUBIN is read");
    for (const auto& [name, kernel] : *mine) {
      const auto theirs_of = right->find(name);
      if (theirs_of == right->end()) {
        outcome.remark += "nvcc has no kernel " + name;
        continue;
      }
      ++outcome.kernels;
      const bool same = theirs_of->second.code == kernel.code;
      outcome.same_code += same ? 1 : 0;
      require(theirs_of->second.fits(kernel), ("a kernel is as nvcc's: " + name).c_str());
      require(same || !had_same_code(name), ("a kernel keeps the code that nvcc makes: " + name).c_str());
    }
  }

  bool had_same_code(const std::string& name) const {
    if (!ours || !theirs) return false;
    const auto mine = ours->find(name), right = theirs->find(name);
    return mine != ours->end() && right != theirs->end() && mine->second.code == right->second.code;
  }
};

FileCheck::FileCheck(const CheckedFile& original) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.path = original.path;
  state.original = base::normalise_source(original.text);
  state.flags = {"--extended-lambda", "--expt-relaxed-constexpr"};
  for (std::string& flag : words_behind(original.text, "// flags:")) state.flags.push_back(std::move(flag));
  for (std::string& flag : words_behind(original.text, "// nvcc:")) state.flags.push_back(std::move(flag));
  if (const auto named = words_behind(original.text, "// architectures:"); !named.empty()) {
    state.arch = region::parse_sm_arch(named.front()).value();
  }
  State::Extracted extracted = state.extract_text(original.text);
  if (!extracted.slice) {
    state.unusable = extracted.error ? shown(*extracted.error) : "no region";
    return;
  }
  const auto cubin = state.compile(*extracted.slice, region::Tier::full);
  if (!cubin) {
    state.unusable = cubin.error().message;
    return;
  }
  state.ours = kernels_of(cubin->blob);
  if (State::has_nvcc()) state.theirs = state.compile_with_nvcc(state.unusable);
  state.slice = std::move(extracted.slice);
}

FileCheck::~FileCheck() = default;

const std::string& FileCheck::unusable() const { return state_->unusable; }

Outcome FileCheck::check(std::string_view mutant, bool with_nvcc) {
  State& state = *state_;
  Outcome outcome;
  const State::Extracted extracted = state.extract_text(mutant);
  const std::string text = base::normalise_source(mutant);
  if (extracted.error) outcome.why = shown(*extracted.error);
  if (extracted.no_region) outcome.kind = Outcome::Kind::no_region;
  state.compare_splice(extracted, text, outcome);
  std::optional<build::Cubin> cubin;
  if (extracted.slice) {
    auto compiled = state.compile(*extracted.slice, region::Tier::full);
    outcome.kind = compiled ? Outcome::Kind::accepted : Outcome::Kind::not_compiled;
    if (compiled) {
      cubin = std::move(*compiled);
      require(state.compile(*extracted.slice, region::Tier::quick).has_value(),
              "what the full tier compiles the quick tier compiles");
    } else {
      outcome.why = compiled.error().message;
      require(state.is_placed(compiled.error().diagnostics, text),
              ("a compiler's refusal has a place: " + outcome.why).c_str());
    }
  }
  if ((cubin || with_nvcc) && State::has_nvcc()) state.compare_with_nvcc(extracted, cubin, outcome);
  return outcome;
}

}  // namespace cudahot::fuzz
