#include "lib/build/helper_library.hpp"

#include <fmt/format.h>

#include "kernels/helper_library_source.hpp"
#include "lib/build/compile_rules.hpp"
#include "lib/build/diagnostics.hpp"
#include "lib/build/std_shims.hpp"

namespace cudahot::build {
namespace {

#include "helper_library_digest.inc"

Result<std::string> compile_library(HelperForm form, const region::SmArch& arch, const cuda::Nvrtc& nvrtc) {
  cuda::NvrtcRequest request;
  request.source = kernels::helper_library_source().text;
  request.name = kernels::helper_library_source().name;
  request.options.push_back("-arch=" + region::to_string(arch));
  request.options.insert(request.options.end(), kFixedOptions.begin(), kFixedOptions.end());
  request.options.emplace_back(form == HelperForm::cubin ? "-rdc=true" : "-dlto");
  request.headers = std_shims();
  for (const kernels::SourceFile& header : kernels::headers()) request.headers.emplace_back(header.name, header.text);
  request.output = form == HelperForm::cubin ? cuda::NvrtcOutput::cubin : cuda::NvrtcOutput::ltoir;
  auto compiled = nvrtc.compile(request);
  if (compiled) return std::move(compiled->blob);
  if (compiled.error().code != ErrorCode::source) return fail(std::move(compiled.error()));
  return fail(ErrorCode::internal, fmt::format("the helper library does not compile for {}: {}",
                                               region::to_string(arch), compiled.error().message));
}

}  // namespace

base::Digest helper_library_digest() { return kHelperLibraryDigest; }

Result<HelperLibrary> helper_library(HelperForm form, const region::SmArch& arch, Toolchain& toolchain,
                                     cache::Layers& layers) {
  const auto identity = toolchain.identity();
  if (!identity) return fail(identity.error());
  cache::CacheKey key = cache::helper_library_key(form == HelperForm::cubin ? "cubin" : "ltoir", arch, *identity,
                                                  helper_library_digest());
  auto claim = layers.claim(key, [&] { return toolchain.cancelled(); });
  if (claim.hit) return HelperLibrary{std::move(key), std::move(claim.hit->artifact)};
  const auto nvrtc = toolchain.nvrtc();
  if (!nvrtc) return fail(nvrtc.error());
  auto blob = compile_library(form, arch, **nvrtc);
  if (!blob) return fail(std::move(blob.error()));
  cache::Artifact artifact;
  artifact.kind = form == HelperForm::cubin ? cache::ArtifactKind::library_cubin : cache::ArtifactKind::library_ltoir;
  artifact.arch = arch;
  artifact.name = "helper library";
  artifact.toolkit_version = identity->version;
  artifact.blob = std::move(*blob);
  // The toolkit may have been replaced since the key was made.
  if (const auto now = toolchain.identity(); !now || *now != *identity) {
    return HelperLibrary{std::move(key), std::make_shared<const cache::Artifact>(std::move(artifact))};
  }
  auto kept = layers.insert(key, std::move(artifact), {}, std::move(claim.lease));
  return HelperLibrary{std::move(key), std::move(kept)};
}

}  // namespace cudahot::build
