// Which architectures a compiler's flags ask for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/extract/flags.hpp"

namespace cudahot::extract {

// Takes the flags in their order. Errors of all: usage (malformed).
class FlagArchitectures {
 public:
  // nvcc's -arch, of which the last counts, and the -code that may stand beside it.
  Status set(std::string_view name);
  Status set_code(std::string_view list);
  // nvcc's -gencode: "arch=compute_90,code=[sm_90,compute_90]".
  Status add_generate_code(std::string_view value);
  // Clang's.
  Status add(std::string_view list);
  Status remove(std::string_view list);

  WantedArchitectures take();

 private:
  std::vector<WantedArchitectures> wishes_;
  std::optional<std::size_t> main_;          // of -arch
  std::optional<WantedArchitectures> code_;  // of -code
};

}  // namespace cudahot::extract
