#include "lib/build/options.hpp"

#include <optional>
#include <string_view>

namespace cudahot::build {
namespace {

using Form = CompiledProgram::Form;

bool chooses_output_form(std::string_view option) {
  for (const std::string_view prefix : {"-rdc", "--relocatable-device-code", "-dlto", "--dlink-time-opt", "-dc",
                                        "--device-c", "-arch", "--gpu-architecture"}) {
    if (option.starts_with(prefix)) return true;
  }
  return false;
}

// The value of `-NAME=VALUE` or `--LONG=VALUE`.
std::optional<std::string_view> value_of(std::string_view option, std::string_view name, std::string_view long_name) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view before = option.substr(0, equals);
  if (before != name && before != long_name) return std::nullopt;
  return option.substr(equals + 1);
}

// "true" and "false" of NVRTC are "1" and "0" of nvJitLink.
std::string number_of(std::string_view truth) {
  return truth == "true" ? "1" : truth == "false" ? "0" : std::string(truth);
}

void add_link_option(std::string_view option, std::vector<std::string>& out) {
  if (option == "-use_fast_math" || option == "--use_fast_math") {
    out.insert(out.end(), {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  } else if (option == "-lineinfo" || option == "--generate-line-info") {
    out.emplace_back("-lineinfo");
  } else if (option == "-G" || option == "--device-debug") {
    out.emplace_back("-g");
  } else if (const auto ftz = value_of(option, "-ftz", "--ftz")) {
    out.push_back("-ftz=" + number_of(*ftz));
  } else if (const auto division = value_of(option, "-prec-div", "--prec-div")) {
    out.push_back("-prec-div=" + number_of(*division));
  } else if (const auto root = value_of(option, "-prec-sqrt", "--prec-sqrt")) {
    out.push_back("-prec-sqrt=" + number_of(*root));
  } else if (const auto fused = value_of(option, "-fmad", "--fmad")) {
    out.push_back("-fma=" + number_of(*fused));
  } else if (const auto registers = value_of(option, "-maxrregcount", "--maxrregcount")) {
    out.push_back("-maxrregcount=" + std::string(*registers));
  }
}

}  // namespace

std::vector<std::string> compile_options(const region::Slice& slice, const region::SmArch& arch, Form form,
                                         const cuda::Toolkit& toolkit) {
  std::vector<std::string> options = {"-arch=" + region::to_string(arch), "-default-device", "-device-int128",
                                      "-D__CUDAHOT__=1"};
  if (form == Form::relocatable_cubin) options.emplace_back("-rdc=true");
  if (form == Form::ltoir) options.emplace_back("-dlto");
  if (slice.uses_device_headers) {
    options.push_back("-I" + toolkit.include.string());
    if (!toolkit.cccl.empty()) options.push_back("-I" + toolkit.cccl.string());
  }
  for (const auto& option : slice.options) {
    if (!chooses_output_form(option)) options.push_back(option);
  }
  return options;
}

std::vector<std::string> link_options(const region::Slice& slice, const region::SmArch& arch, Form form) {
  std::vector<std::string> options = {"-arch=" + region::to_string(arch)};
  if (form != Form::ltoir) return options;
  options.emplace_back("-lto");
  for (const auto& option : slice.options) add_link_option(option, options);
  return options;
}

}  // namespace cudahot::build
