#include "tools/cudahot-extract/report.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/severity.hpp"
#include "lib/build/diagnostics.hpp"

namespace cudahot::extract_tool {
namespace {

using Json = nlohmann::ordered_json;

// A path below the current folder is shown as seen from there.
std::string shortened(const std::string& path) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(folder) ? path.substr(folder.size()) : path;
}

std::string absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path.string() : whole.lexically_normal().string();
}

// People are shown this many errors: those behind the first few mostly follow from them.
constexpr std::size_t kMostErrors = 20;

// Messages in order, each once: many architectures find the same faults.
class Messages {
 public:
  void add(Severity severity, const std::string& message) {
    if (!seen_.insert(message).second) return;
    if (severity == Severity::error) ++errors_;
    if (errors_ <= kMostErrors) text_ += message + "\n";
  }
  std::string text() const {
    if (errors_ <= kMostErrors) return text_;
    return text_ + fmt::format("cudahot-extract: {} more errors are not shown\n", errors_ - kMostErrors);
  }

 private:
  std::set<std::string> seen_;
  std::size_t errors_ = 0;
  std::string text_;
};

Diagnostic as_diagnostic(const Error& error) {
  Diagnostic diagnostic;
  diagnostic.location = error.location;
  diagnostic.text = error.message;
  return diagnostic;
}

std::vector<Diagnostic> diagnostics_of(const Error& error) {
  return error.diagnostics.empty() ? std::vector<Diagnostic>{as_diagnostic(error)} : error.diagnostics;
}

bool any_region(const Outcome& outcome) {
  return std::ranges::any_of(outcome.files, [](const FileOutcome& file) { return file.report.region_count > 0; });
}

bool lacks_regions(const FileOutcome& file) {
  const bool refused = std::ranges::any_of(
      file.report.diagnostics, [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; });
  // Only a file that was read has dependencies.
  return !file.error && file.report.region_count == 0 && !refused && !file.report.dependencies.empty();
}

Diagnostic no_region(const FileOutcome& file, bool others_have_some) {
  Diagnostic diagnostic;
  diagnostic.severity = others_have_some ? Severity::note : Severity::error;
  diagnostic.location.file = absolute_path(file.file);
  diagnostic.text = "no region found";
  diagnostic.hint =
      "put `#pragma cudahot begin(NAME)` and `#pragma cudahot end` around the statements to be edited "
      "while the program runs";
  return diagnostic;
}

// Both compilers stumble over the same line: what the device compiler calls an error needs no warning by Clang.
bool is_covered(const Diagnostic& warning, const std::vector<Diagnostic>& errors) {
  return warning.severity == Severity::warning && std::ranges::any_of(errors, [&](const Diagnostic& error) {
           return error.severity == Severity::error && error.location.file == warning.location.file &&
                  error.location.line == warning.location.line;
         });
}

// About device code; what the command line gets wrong is at no line.
bool is_complaint_of_clang(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::warning && diagnostic.id.empty() && diagnostic.location.line != 0;
}

// Everything to be said about one file.
std::vector<Diagnostic> diagnostics_of(const FileOutcome& file) {
  std::vector<Diagnostic> compilers;
  const auto add = [&](const std::vector<Diagnostic>& more) {
    for (const auto& diagnostic : more) {
      if (std::ranges::find(compilers, diagnostic) == compilers.end()) compilers.push_back(diagnostic);
    }
  };
  for (const CubinOutcome& cubin : file.cubins) {
    if (cubin.built) add(cubin.built->warnings);
    else add(diagnostics_of(cubin.built.error()));
  }
  if (file.error) add(diagnostics_of(*file.error));
  // The device compiler is the judge of device code.
  const bool accepted = !file.cubins.empty() && std::ranges::all_of(file.cubins, [](const CubinOutcome& each) {
    return each.built.has_value();
  });
  std::vector<Diagnostic> all;
  bool covered = false;  // and so the notes that follow
  for (const Diagnostic& diagnostic : file.report.diagnostics) {
    if (diagnostic.severity != Severity::note) {
      covered = is_covered(diagnostic, compilers) || (accepted && is_complaint_of_clang(diagnostic));
    }
    if (!covered) all.push_back(diagnostic);
  }
  std::ranges::move(compilers, std::back_inserter(all));
  return all;
}

Json to_json(const Diagnostic& diagnostic) {
  return {
      {"severity", base::name_of(diagnostic.severity)},
      {"id", diagnostic.id},
      {"file", diagnostic.location.file},
      {"line", diagnostic.location.line},
      {"column", diagnostic.location.column},
      {"end_column", diagnostic.location.column == 0 ? 0 : diagnostic.location.column + frame_width(diagnostic.frame)},
      {"text", diagnostic.text},
      {"frame", diagnostic.frame},
      {"hint", diagnostic.hint}};
}

Json cubins_to_json(const FileOutcome& file) {
  Json cubins = Json::array();
  for (const CubinOutcome& cubin : file.cubins) {
    Json entry = {{"architecture", region::to_string(cubin.arch)}, {"tier", region::to_string(cubin.tier)}};
    entry["compiled"] = cubin.built && cubin.built->compiled;
    if (cubin.built) {
      entry["key"] = base::to_hex(cubin.built->key);
      entry["bytes"] = cubin.built->artifact->blob.size();
      Json kernels = Json::array();
      for (const auto& kernel : cubin.built->artifact->kernels) {
        kernels.push_back({{"symbol", kernel.lowered_name},
                           {"registers", kernel.registers},
                           {"static_shared_bytes", kernel.static_shared_bytes},
                           {"local_bytes", kernel.local_bytes}});
      }
      entry["kernels"] = std::move(kernels);
    }
    cubins.push_back(std::move(entry));
  }
  return cubins;
}

std::string_view kind_of(const region::Region& region) {
  return region.kind == region::Region::Kind::functions ? "functions" : "statements";
}

Json to_json(const std::vector<region::Variable>& variables) {
  Json list = Json::array();
  for (const auto& variable : variables) list.push_back({{"name", variable.name}, {"type", variable.type}});
  return list;
}

// "float x, int (*)[4] p"
std::string shown(const std::vector<region::Variable>& variables) {
  std::string text;
  for (const auto& variable : variables) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", variable.type, variable.name);
  }
  return text;
}

// As people name the main file; others from where they are.
std::string shown_file(const FileOutcome& file, std::uint32_t index) {
  return index == 0 ? file.file.string() : shortened(file.report.slice->files[index].path);
}

std::string summary(const FileOutcome& file, const region::Region& region) {
  const std::string place = fmt::format("{}:{}", shown_file(file, region.file), region.first_line);
  if (region.kind == region::Region::Kind::functions) {
    std::string names;
    for (const auto& function : region.declared) names += (names.empty() ? "" : ", ") + function.name;
    return fmt::format("{}: region {} of functions {}\n", place, region.name, names);
  }
  std::string text = fmt::format("{}: region {} in {}\n", place, region.name, region.function);
  const auto add = [&](std::string_view what, const std::vector<region::Variable>& variables) {
    if (!variables.empty()) text += fmt::format("  {}: {}\n", what, shown(variables));
  };
  add("in", region.in);
  add("out", region.out);
  add("declared", region.declared);
  return text;
}

Json to_json(const FileOutcome& file) {
  Json entry = {{"file", file.file.string()}};
  Json regions = Json::array();
  Json kernels = Json::array();
  if (file.report.slice) {
    for (const auto& region : file.report.slice->regions) {
      regions.push_back({{"name", region.name},
                         {"kind", kind_of(region)},
                         {"function", region.function},
                         {"file", file.report.slice->files[region.file].path},
                         {"line", region.first_line},
                         {"in", to_json(region.in)},
                         {"out", to_json(region.out)},
                         {"declared", to_json(region.declared)}});
    }
    for (const auto& kernel : file.report.slice->kernels) {
      kernels.push_back({{"name", kernel.name},
                         {"file", file.report.slice->files[kernel.file].path},
                         {"line", kernel.line},
                         {"regions", kernel.regions}});
    }
  }
  entry["regions"] = std::move(regions);
  entry["kernels"] = std::move(kernels);
  entry["cubins"] = cubins_to_json(file);
  entry["dependencies"] = file.report.dependencies;
  Json lookups = Json::array();
  for (const auto& lookup : file.report.lookups) lookups.push_back({{"path", lookup.path}, {"found", lookup.found}});
  entry["lookups"] = std::move(lookups);
  return entry;
}

}  // namespace

std::vector<Diagnostic> all_diagnostics(const Outcome& outcome) {
  std::vector<Diagnostic> all;
  for (const FileOutcome& file : outcome.files) {
    for (auto& diagnostic : diagnostics_of(file)) all.push_back(std::move(diagnostic));
    if (lacks_regions(file)) all.push_back(no_region(file, any_region(outcome) || outcome.allows_no_region));
  }
  if (outcome.error) {
    for (auto& diagnostic : diagnostics_of(*outcome.error)) all.push_back(std::move(diagnostic));
  }
  return all;
}

std::size_t frame_width(std::string_view frame) {
  const std::size_t caret = frame.rfind('^');
  if (caret == std::string_view::npos) return 1;
  return std::min(frame.find_first_not_of('~', caret + 1), frame.size()) - caret;
}

std::string messages(const Outcome& outcome) {
  Messages messages;
  for (auto& diagnostic : all_diagnostics(outcome)) {
    diagnostic.location.file = shortened(diagnostic.location.file);
    messages.add(diagnostic.severity,
                 (diagnostic.location.file.empty() ? "cudahot-extract: " : "") + build::render(diagnostic));
  }
  return messages.text();
}

std::string summary(const Outcome& outcome) {
  std::string text;
  for (const FileOutcome& file : outcome.files) {
    if (!file.report.slice) continue;
    for (const auto& region : file.report.slice->regions) text += summary(file, region);
    for (const auto& kernel : file.report.slice->kernels) {
      text += fmt::format("{}:{}: hot kernel {} (region{} {})\n", shown_file(file, kernel.file), kernel.line,
                          kernel.name, kernel.regions.size() > 1 ? "s" : "", fmt::join(kernel.regions, ", "));
    }
    for (const CubinOutcome& cubin : file.cubins) {
      if (!cubin.built) continue;
      text += fmt::format("{}: {} {}: {} bytes, {}\n", file.file.string(), region::to_string(cubin.arch),
                          region::to_string(cubin.tier), cubin.built->artifact->blob.size(),
                          cubin.built->compiled ? "compiled" : "unchanged");
    }
  }
  return text;
}

std::string to_json(const Outcome& outcome) {
  Json document = {{"exit_code", exit_code(outcome)}};
  Json files = Json::array();
  for (const FileOutcome& file : outcome.files) files.push_back(to_json(file));
  document["files"] = std::move(files);
  Json diagnostics = Json::array();
  for (const auto& diagnostic : all_diagnostics(outcome)) diagnostics.push_back(to_json(diagnostic));
  document["diagnostics"] = std::move(diagnostics);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cudahot::extract_tool
