// nvJitLink behind a table of functions, loaded by absolute path.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/cuda/toolkit.hpp"

namespace cudahot::cuda {

enum class LinkInputKind { cubin, ltoir, archive };

struct LinkInput {
  LinkInputKind kind = LinkInputKind::cubin;
  std::string_view blob;  // must outlive the link
  std::string name;       // for messages
};

// Thread safe; the library stays loaded to the end of the process.
class NvJitLink {
 public:
  static Result<std::shared_ptr<NvJitLink>> load(const Toolkit& toolkit);
  ~NvJitLink();

  // The linked CUBIN. Inputs must have been checked by their digests: nvJitLink may crash on a
  // truncated one. Errors: link, with the log.
  Result<std::string> link(const std::vector<LinkInput>& inputs, const std::vector<std::string>& options) const;

  unsigned major() const;
  unsigned minor() const;

 private:
  struct Table;
  explicit NvJitLink(std::unique_ptr<Table> table);
  std::unique_ptr<Table> table_;
};

}  // namespace cudahot::cuda
