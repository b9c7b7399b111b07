// The one-line form of events.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cudahot/cudahot.hpp"
#include "lib/build/diagnostics.hpp"

namespace cudahot {
namespace {

// Milliseconds as people read them: "0.4", "3.1", "38", "1250".
std::string milliseconds(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string stages(const ReloadTimings& timings) {
  const std::vector<std::pair<std::string_view, double>> all = {
      {"extract", timings.extract}, {"compile", timings.compile}, {"link", timings.link}, {"load", timings.load}};
  std::string text;
  for (const auto& [name, value] : all) {
    if (value <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, milliseconds(value));
  }
  return text;
}

std::string what_changed(const ReloadEvent& event) {
  if (event.regions.empty()) return {};
  return fmt::format("region{} {}", event.regions.size() == 1 ? "" : "s", fmt::join(event.regions, ", "));
}

std::string join_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += "; ";
    text += part;
  }
  return text.empty() ? text : fmt::format(" ({})", text);
}

std::string place(const SourceLocation& location) {
  if (location.file.empty()) return {};
  if (location.line == 0) return fmt::format("{}: ", location.file);
  if (location.column == 0) return fmt::format("{}:{}: ", location.file, location.line);
  return fmt::format("{}:{}:{}: ", location.file, location.line, location.column);
}

std::string failure(const ReloadEvent& event) {
  std::string text = fmt::format("cudahot: {} stays at generation {}{}: {}{}", event.kernel, event.generation,
                                 join_parts({what_changed(event)}), place(event.error.location), event.error.message);
  for (const Diagnostic& diagnostic : event.error.diagnostics) {
    text += '\n';
    text += build::render(diagnostic);
    while (!text.empty() && text.back() == '\n') text.pop_back();
  }
  return text;
}

}  // namespace

std::string to_string(const ReloadEvent& event) {
  switch (event.kind) {
    case ReloadEvent::Kind::live:
      return fmt::format("cudahot: {} generation {} live in {} ms{}", event.kernel, event.generation,
                         milliseconds(event.timings.total),
                         join_parts({event.cached ? "cached" : "", stages(event.timings), what_changed(event)}));
    case ReloadEvent::Kind::restored:
      return fmt::format("cudahot: {} generation {} goes on: the source is what it was built from again", event.kernel,
                         event.generation);
    case ReloadEvent::Kind::failed:
      break;
  }
  return failure(event);
}

}  // namespace cudahot
