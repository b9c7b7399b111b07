// The words for how bad a diagnostic is, in messages, JSON and SARIF.
#pragma once

#include <string_view>

#include "cudahot/result.hpp"

namespace cudahot::base {

constexpr std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

}  // namespace cudahot::base
