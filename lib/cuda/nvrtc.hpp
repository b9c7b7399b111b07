// NVRTC behind a table of functions, loaded by absolute path.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/cuda/toolkit.hpp"

namespace cudahot::cuda {

enum class NvrtcOutput { cubin, ltoir, ptx };

struct NvrtcRequest {
  std::string source;
  std::string name;                                          // program name: appears in lineinfo and static symbols
  std::vector<std::string> options;                          // in order
  std::vector<std::pair<std::string, std::string>> headers;  // name as included -> text
  std::vector<std::string> name_expressions;
  NvrtcOutput output = NvrtcOutput::cubin;
};

struct NvrtcResult {
  std::string blob;
  std::string log;                                                 // warnings
  std::vector<std::pair<std::string, std::string>> lowered_names;  // expression -> symbol
};

// Thread safe; one per process is enough. The library stays loaded to the end of the process.
class Nvrtc {
 public:
  // Errors: environment (missing library, missing function, version other than the headers').
  static Result<std::shared_ptr<Nvrtc>> load(const Toolkit& toolkit);
  ~Nvrtc();

  // Errors: source, with the log as message (callers parse and map it); environment (missing
  // builtins library, unknown architecture, out of memory).
  Result<NvrtcResult> compile(const NvrtcRequest& request) const;

  int major() const;
  int minor() const;
  const std::vector<int>& supported_architectures() const;  // 75, 80, ...

 private:
  struct Table;
  explicit Nvrtc(std::unique_ptr<Table> table);
  std::unique_ptr<Table> table_;
};

}  // namespace cudahot::cuda
