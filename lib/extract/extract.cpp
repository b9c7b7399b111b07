#include "lib/extract/extract.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "lib/extract/code_text.hpp"
#include "lib/extract/device_headers.hpp"
#include "lib/extract/device_view.hpp"
#include "lib/extract/file_owner.hpp"
#include "lib/extract/flags.hpp"
#include "lib/extract/gap_header.hpp"
#include "lib/extract/macro_remarks.hpp"
#include "lib/extract/parse.hpp"
#include "lib/extract/poison.hpp"
#include "lib/extract/refusals.hpp"
#include "lib/extract/split.hpp"
#include "lib/region/code_frame.hpp"
#include "lib/region/splice.hpp"

namespace cudahot::extract {
namespace {

namespace fs = std::filesystem;

// Clang reads anything as text, and has thousands of complaints about a file that is none.
Status check_text(const fs::path& file, const fs::path& shown) {
  const auto text = base::read_file(file);
  if (!text) return fail(text.error());
  if (text->find('\0') == std::string::npos) return {};
  return fail(ErrorCode::source,
              fmt::format("'{}' is not a text file: it has bytes that are zero; CUDA sources are text in UTF-8",
                          shown.string()));
}

Status check_environment(const ExtractRequest& request) {
  std::error_code error;
  const fs::path file = request.working_directory / request.file;
  if (fs::is_directory(file, error)) {
    return fail(ErrorCode::not_found, fmt::format("'{}' is a folder: name a CUDA source file", request.file.string()));
  }
  if (!fs::is_regular_file(file, error)) {
    return fail(ErrorCode::not_found, fmt::format("no such file: {}", request.file.string()));
  }
  if (auto text = check_text(file, request.file); !text) return text;
  if (!fs::is_regular_file(request.cuda_include / "cuda_runtime.h", error)) {
    return fail(ErrorCode::environment, fmt::format("{} is no CUDA toolkit: '{}' has no cuda_runtime.h",
                                                    request.cuda_root.string(), request.cuda_include.string()));
  }
  if (!fs::is_regular_file(request.resource_dir / "include" / "__clang_cuda_runtime_wrapper.h", error)) {
    return fail(ErrorCode::environment, fmt::format("Clang's headers are not in {}: it has no "
                                                    "include/__clang_cuda_runtime_wrapper.h",
                                                    request.resource_dir.string()));
  }
  return {};
}

// Sources are CUDA: what is built for the CPU device only is parsed as for the oldest GPU.
region::SmArch parsed_architecture(const ExtractRequest& request, const FlagPlan& flags) {
  constexpr unsigned kOldestSupported = 75;
  for (const auto* list : {&request.architectures, &flags.architectures.named}) {
    const auto gpu = std::ranges::find_if_not(*list, region::is_cpu);
    if (gpu != list->end()) return *gpu;
  }
  return region::SmArch{kOldestSupported, {}};
}

Result<ParseRequest> make_parse_request(const ExtractRequest& request, const FlagPlan& flags) {
  ParseRequest parse;
  std::error_code error;
  const fs::path folder =
      request.working_directory.empty() ? fs::current_path(error) : fs::absolute(request.working_directory, error);
  if (error) return fail(ErrorCode::environment, "the working directory cannot be read: " + error.message());
  parse.file = request.file.string();
  parse.working_directory = folder.string();
  parse.clang_flags = flags.clang;
  parse.architecture = parsed_architecture(request, flags);
  parse.cuda_include = request.cuda_include.string();
  parse.cuda_major = request.cuda_major;
  parse.cuda_minor = request.cuda_minor;
  parse.resource_dir = request.resource_dir.string();
  return parse;
}

std::size_t count_regions(const ParsedSource& source) {
  std::size_t begins = 0;
  std::size_t others = 0;
  for (const RecordedPragma& pragma : source.recorded.pragmas) {
    const std::string_view text = source.buffers[pragma.place.buffer].text;
    const std::string_view line =
        text.substr(pragma.place.offset, text.find('\n', pragma.place.offset) - pragma.place.offset);
    if (line.find("instantiate") != std::string_view::npos) continue;
    ++others;
    if (line.find("begin") != std::string_view::npos) ++begins;
  }
  return begins != 0 ? begins : others;
}

// Turns a parsed source into its slice, or says why it cannot be.
class SliceMaker {
 public:
  SliceMaker(const ExtractRequest& request, const FlagPlan& flags, const FileOwners& owners, ParsedSource& source)
      : request_(request), flags_(flags), owners_(owners), source_(source) {}

  // None: the diagnostics say why.
  Result<std::optional<region::Slice>> make(const std::string& working_directory) {
    find_hot();
    verdicts_ = judge_units(source_.units, hot_);
    check_kernels();
    if (has_errors()) return std::nullopt;
    index_files();
    const DeviceView view = make_view();
    remark_on_counter(source_, verdicts_);
    region::Slice slice;
    slice.text = view.text;
    slice.segments = split(source_, verdicts_, hot_, view);
    add_regions(view, slice);
    add_kernels(slice);
    add_files(view, slice);
    if (view.device_runtime == DeviceRuntime::library) {
      if (auto added = add_device_runtime(slice); !added) return fail(std::move(added.error()));
    }
    slice.options = flags_.nvrtc;
    slice.architectures = request_.architectures.empty() ? flags_.architectures.named : request_.architectures;
    slice.uses_device_headers = !view.device_headers.empty();
    slice.uses_helper_library = source_.uses_helper_library;
    slice.extract_arguments = request_.extract_arguments;
    slice.working_directory = working_directory;
    slice.lookups = source_.lookups;
    return slice;
  }

 private:
  bool has_errors() const {
    return std::any_of(source_.diagnostics.begin(), source_.diagnostics.end(),
                       [](const Diagnostic& each) { return each.severity == Severity::error; });
  }

  bool is_hot(UnitIndex unit) const { return hot_.count(unit) != 0; }

  void find_hot() {
    for (const FoundRegion& region : source_.regions) {
      UnitSet& reaching = reaching_.emplace_back();
      for (const UnitIndex unit : region.units) reaching.merge(units_reaching(source_.units, unit));
      for (const UnitIndex unit : reaching_.back()) {
        if (!source_.units[unit].kernel) continue;
        hot_.insert(unit);
        hot_.insert(source_.units[unit].redeclarations.begin(), source_.units[unit].redeclarations.end());
      }
    }
  }

  void refuse_at(Refusal refusal, const Place& place, std::size_t length, std::string message) {
    source_.diagnostics.push_back(refuse(refusal, source_.buffers[place.buffer].text, shown_file(source_, place.buffer),
                                         {place.offset, place.offset + length}, std::move(message)));
  }

  void check_kernels() {
    std::set<UnitIndex> explained;
    for (const FoundKernel& kernel : source_.kernels) {
      if (!is_hot(kernel.unit) || !verdicts_[kernel.unit].dropped || !explained.insert(kernel.unit).second) continue;
      refuse_at(Refusal::unavailable, kernel.place, kernel.name.size(),
                fmt::format("this kernel cannot be made hot: {}", explain(source_.units, verdicts_, kernel.unit)));
    }
    const bool refused = has_errors();  // perhaps what names an instance
    for (const TemplateKernel& kernel : source_.uninstantiated) {
      if (refused || !is_hot(kernel.unit)) continue;
      refuse_at(Refusal::not_instantiated, kernel.place, kernel.name.size(),
                kernel.instantiated
                    ? fmt::format("kernel '{}' is a template, and every instance of it takes a lambda or another type "
                                  "without a name, which leaves the instance without one too: pass an object of a "
                                  "named class with a __device__ operator() instead",
                                  kernel.name)
                    : fmt::format("kernel '{}' is a template, and no instance of it is named here", kernel.name));
    }
    check_function_regions();
    for (std::size_t i = 0; i < source_.regions.size(); ++i) {
      const FoundRegion& region = source_.regions[i];
      const bool reached = std::any_of(reaching_[i].begin(), reaching_[i].end(),
                                       [&](UnitIndex unit) { return source_.units[unit].kernel; });
      if (reached) continue;
      refuse_at(Refusal::no_kernel, {region.body.buffer, region.begin_line.begin}, region.begin_line.size(),
                region.kind == region::Region::Kind::functions
                    ? fmt::format("no kernel of this file is in region '{}' or reaches a function of it", region.name)
                    : fmt::format("no kernel of this file reaches '{}', which holds region '{}'", region.function,
                                  region.name));
    }
  }

  // Their text stays as it is, so all of it must be for the device.
  void check_function_regions() {
    for (const FoundRegion& region : source_.regions) {
      if (region.kind != region::Region::Kind::functions) continue;
      for (const UnitIndex unit : region.units) {
        const Unit& each = source_.units[unit];
        if (each.kernel || !verdicts_[unit].dropped) continue;
        refuse_at(Refusal::unavailable, {each.span.buffer, each.span.range.begin}, each.name.size(),
                  fmt::format("this function of region '{}' cannot be made hot: {}", region.name,
                              explain(source_.units, verdicts_, unit)));
      }
    }
  }

  // Names of files reach the compiled code through __FILE__ and what is made of it.
  bool names_files() const {
    return std::any_of(source_.recorded.macro_uses.begin(), source_.recorded.macro_uses.end(),
                       [&](const RecordedMacroUse& use) {
                         const bool names_file = use.name == "__FILE__" || use.name == "assert";
                         return names_file && is_live(source_, verdicts_, use.place);
                       });
  }

  // A text that uses the time begins with what the time is.
  DeviceView make_view() {
    DeviceView view = make_device_view(source_, verdicts_, virtual_names_, owners_);
    const std::string definitions = define_time(source_, verdicts_, view.text, flags_.nvrtc);
    if (definitions.empty()) return view;
    return make_device_view(source_, verdicts_, virtual_names_, owners_, definitions);
  }

  // What `#line` calls a file. Line information is for tools that look for it; code has the name that nvcc would give.
  std::string virtual_name(std::size_t index, const SourceFile& file, bool named) const {
    if (flags_.paths_in_output) return escaped(file.path);
    return named ? escaped(file.shown) : fmt::format("{}/{}", index, plain_name(file.path));
  }

  // Order of the files in the slice: the main file, those with text, the others.
  void index_files() {
    std::set<FileIndex> done;
    const auto add = [&](FileIndex file) {
      if (done.insert(file).second) order_.push_back(file);
    };
    for (const SourceBuffer& buffer : source_.buffers) add(buffer.file);
    inlined_ = order_.size();
    for (FileIndex file = 0; file < source_.files.size(); ++file) {
      const SourceFile& record = source_.files[file];
      if (record.owner != FileOwner::compiler && record.content != base::Digest{}) add(file);
    }
    record_of_.assign(source_.files.size(), 0);
    virtual_names_.resize(source_.files.size());
    const bool named = names_files();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      record_of_[order_[i]] = static_cast<std::uint32_t>(i);
      virtual_names_[order_[i]] = virtual_name(i, source_.files[order_[i]], named);
    }
  }

  static std::string plain_name(const std::string& path) {
    std::string name = fs::path(path).filename().string();
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '"' || c == '\\' || c == '\n'; }, '_');
    return name;
  }

  void add_regions(const DeviceView& view, region::Slice& slice) const {
    for (std::size_t i = 0; i < source_.regions.size(); ++i) {
      const FoundRegion& found = source_.regions[i];
      slice.regions.push_back({found.kind, found.name, found.function,
                               record_of_[source_.buffers[found.body.buffer].file], found.first_line,
                               view.region_bodies[i], found.in, found.out, found.declared});
    }
    std::sort(slice.regions.begin(), slice.regions.end(),
              [](const region::Region& a, const region::Region& b) { return a.body.begin < b.body.begin; });
  }

  void add_kernels(region::Slice& slice) const {
    for (const FoundKernel& found : source_.kernels) {
      if (!is_hot(found.unit) || verdicts_[found.unit].dropped) continue;
      region::Kernel kernel;
      kernel.name = found.name;
      kernel.name_expression = found.name_expression;
      kernel.mangled_name = found.mangled_name;
      kernel.file = record_of_[source_.buffers[found.place.buffer].file];
      kernel.line = region::line_in_file(source_.buffers[found.place.buffer].text, found.place.offset);
      for (std::size_t i = 0; i < source_.regions.size(); ++i) {
        if (reaching_[i].count(found.unit) != 0) kernel.regions.push_back(source_.regions[i].name);
      }
      kernel.parameters = found.parameters;
      slice.kernels.push_back(std::move(kernel));
    }
  }

  void add_files(const DeviceView& view, region::Slice& slice) const {
    std::set<std::string> for_device = device_headers(view);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const SourceFile& file = source_.files[order_[i]];
      region::FileRecord record;
      record.path = file.path;
      record.virtual_name = virtual_names_[order_[i]];
      record.content = record.outside_regions = file.content;
      using Role = region::FileRecord::Role;
      if (i == 0) record.role = Role::main;
      else if (i < inlined_) record.role = Role::user_header;
      else if (for_device.erase(record.path) != 0) record.role = Role::device_header;
      if (i < inlined_) record.outside_regions = outside_regions(order_[i]);
      slice.files.push_back(std::move(record));
    }
    for (const std::string& path : for_device) {
      const auto text = base::read_file(path);
      if (!text) continue;
      const base::Digest content = base::digest(*text);
      slice.files.push_back({path, fmt::format("{}/{}", slice.files.size(), plain_name(path)),
                             region::FileRecord::Role::device_header, content, content});
    }
  }

  Status add_device_runtime(region::Slice& slice) const {
    const fs::path& library = request_.device_runtime;
    if (library.empty()) {
      return fail(
          ErrorCode::environment,
          fmt::format("'{}' launches kernels from device code or calls functions of the device runtime, and the "
                      "CUDA toolkit in '{}' lacks its library, libcudadevrt.a: install it (it comes with the "
                      "CUDA runtime's development package), or name a complete toolkit with --toolkit",
                      request_.file.string(), request_.cuda_root.string()));
    }
    const auto bytes = base::read_file(library);
    if (!bytes) return fail(bytes.error());
    const base::Digest content = base::digest(*bytes);
    slice.files.push_back({library.string(), fmt::format("{}/{}", slice.files.size(), plain_name(library.string())),
                           region::FileRecord::Role::device_runtime, content, content});
    return {};
  }

  base::Digest outside_regions(FileIndex file) const {
    const auto buffer = std::find_if(source_.buffers.begin(), source_.buffers.end(),
                                     [&](const SourceBuffer& each) { return each.file == file; });
    const auto bodies = region::find_region_bodies(buffer->text, source_.files[file].path);
    // Pragmas in inactive text may not pair: such a file is extracted anew on every edit.
    return bodies ? region::digest_outside_regions(buffer->text, *bodies) : source_.files[file].content;
  }

  // By the paths of the slice's files where Clang read them.
  std::set<std::string> device_headers(const DeviceView& view) const {
    std::vector<std::string> direct;
    for (const FileIndex file : view.device_headers) direct.push_back(source_.files[file].path);
    std::map<std::string, std::string> known;
    std::error_code error;
    for (const SourceFile& file : source_.files) {
      const fs::path real = fs::canonical(file.path, error);
      if (!error) known.emplace(real.string(), file.path);
    }
    std::set<std::string> paths;
    for (const std::string& header : all_included(direct, request_.cuda_include)) {
      const auto read = known.find(header);
      paths.insert(read == known.end() ? header : read->second);
    }
    return paths;
  }

  const ExtractRequest& request_;
  const FlagPlan& flags_;
  const FileOwners& owners_;
  ParsedSource& source_;
  UnitSet hot_;
  std::vector<UnitSet> reaching_;  // for each region, the units that reach it
  std::vector<Verdict> verdicts_;
  std::vector<FileIndex> order_;  // slice file -> source file
  std::size_t inlined_ = 0;       // the first of them are in the text
  std::vector<std::uint32_t> record_of_;
  std::vector<std::string> virtual_names_;
};

}  // namespace

Result<ExtractReport> extract(const ExtractRequest& request) {
  if (auto usable = check_environment(request); !usable) return fail(std::move(usable.error()));
  auto flags = plan_flags(request.flags, request.working_directory);
  if (!flags) return fail(std::move(flags.error()));
  auto parse_request = make_parse_request(request, *flags);
  if (!parse_request) return fail(std::move(parse_request.error()));
  const FileOwners owners(request.cuda_root, request.cuda_include, request.resource_dir);
  auto source = parse(*parse_request, owners);
  if (!source) return fail(std::move(source.error()));

  ExtractReport report;
  report.ignored_flags = flags->ignored;
  report.region_count = count_regions(*source);
  prefer_compiler_errors(source->diagnostics);
  if (source->usable && report.region_count != 0) {
    auto slice = SliceMaker(request, *flags, owners, *source).make(parse_request->working_directory);
    if (!slice) return fail(std::move(slice.error()));
    report.slice = std::move(*slice);
  }
  for (FileIndex i = 0; i < source->files.size(); ++i) {
    const SourceFile& file = source->files[i];
    const bool read = file.path != kGapHeaderPath && file.content != base::Digest{};
    if (read || source->recorded.asked_for.count(i) != 0) report.dependencies.push_back(file.path);
  }
  report.lookups = std::move(source->lookups);
  report.diagnostics = std::move(source->diagnostics);
  return report;
}

}  // namespace cudahot::extract
