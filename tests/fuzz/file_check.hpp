// One source, taken through extraction, splice, NVRTC and nvcc, and what must hold there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace cudahot::fuzz {

struct CheckedFile {
  std::filesystem::path path;  // in a folder of its own copy, beside what it includes
  std::string text;
};

struct Outcome {
  enum class Kind { refused, no_region, not_compiled, accepted };

  Kind kind = Kind::refused;
  std::string why;         // the first error, by its id or text
  bool spliced = false;    // the edit was spliced into the slice of the original
  bool compared = false;   // with what nvcc makes of it
  unsigned kernels = 0;    // compared
  unsigned same_code = 0;  // of these, to the byte
  std::string remark;      // what nvcc, or Clang of a splice, says otherwise; empty: nothing
};

// Checks mutants of one file. Properties that do not hold end the process: see require().
class FileCheck {
 public:
  // `original` is there; mutants take its place under another name.
  explicit FileCheck(const CheckedFile& original);
  ~FileCheck();

  // Why extraction, NVRTC or (where there is one) nvcc do not take the original; empty: they do.
  const std::string& unusable() const;
  // What compiles is compared with what nvcc makes of it; `with_nvcc`: the rest, too.
  Outcome check(std::string_view mutant, bool with_nvcc);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudahot::fuzz
