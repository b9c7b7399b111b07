// Writes the digest of the helper library with all that decides its code, as a constant: a start of a program must not
// wait for it. Run by the build; the argument is the file to write.
#include <string>

#include <fmt/format.h>

#include "kernels/helper_library_source.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/files.hpp"
#include "lib/build/compile_rules.hpp"
#include "lib/build/std_shims.hpp"

namespace cudahot::build {
namespace {

void add_field(base::Digester& digester, std::string_view bytes) {
  digester.add(fmt::format("{}:", bytes.size()));
  digester.add(bytes);
}

base::Digest compute_digest() {
  base::Digester digester;
  add_field(digester, kCompileRules);
  for (const std::string_view option : kFixedOptions) add_field(digester, option);
  add_field(digester, kernels::helper_library_source().text);
  for (const kernels::SourceFile& header : kernels::headers()) {
    add_field(digester, header.name);
    add_field(digester, header.text);
  }
  for (const auto& [name, text] : std_shims()) {
    add_field(digester, name);
    add_field(digester, text);
  }
  return digester.finish();
}

}  // namespace
}  // namespace cudahot::build

int main(int argc, char** argv) {
  using namespace cudahot;
  if (argc != 2) {
    fmt::print(stderr, "usage: digest_helper_library FILE\n");
    return 2;
  }
  const base::Digest digest = build::compute_digest();
  const std::string text =
      fmt::format("constexpr base::Digest kHelperLibraryDigest{{0x{:016x}, 0x{:016x}}};\n", digest.high, digest.low);
  if (const auto written = base::write_file_atomically(argv[1], text); !written) {
    fmt::print(stderr, "digest_helper_library: {}\n", written.error().message);
    return 3;
  }
  return 0;
}
