#include "lib/build/options.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "lib/region/time_macros.hpp"

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

// Each at most once, which nvJitLink insists on. What --use_fast_math stands for is overruled by a flag of its own,
// wherever that stands, and of two the last counts: as in nvcc and NVRTC.
class LinkMath {
 public:
  // Whether this is one of the options that are collected here.
  bool take(std::string_view option) {
    if (option == "-use_fast_math" || option == "--use_fast_math") {
      fast_ = true;
      return true;
    }
    for (Setting& setting : settings_) {
      const auto value = value_of(option, setting.name, setting.long_name);
      if (!value) continue;
      setting.value = number_of(*value);
      return true;
    }
    return false;
  }

  void add_to(std::vector<std::string>& out) const {
    for (const Setting& setting : settings_) {
      const std::string_view fast = fast_ ? setting.fast : std::string_view();
      const std::string value = setting.value.empty() ? std::string(fast) : setting.value;
      if (!value.empty()) out.push_back(std::string(setting.linker_name) + "=" + value);
    }
  }

 private:
  struct Setting {
    std::string_view name;
    std::string_view long_name;
    std::string_view linker_name;
    std::string_view fast;
    std::string value;
  };
  std::array<Setting, 5> settings_{{{"-ftz", "--ftz", "-ftz", "1", {}},
                                    {"-prec-div", "--prec-div", "-prec-div", "0", {}},
                                    {"-prec-sqrt", "--prec-sqrt", "-prec-sqrt", "0", {}},
                                    {"-fmad", "--fmad", "-fma", "1", {}},
                                    {"-maxrregcount", "--maxrregcount", "-maxrregcount", "", {}}}};
  bool fast_ = false;
};

void add_link_option(std::string_view option, std::vector<std::string>& out) {
  if (option == "-lineinfo" || option == "--generate-line-info") {
    out.emplace_back("-lineinfo");
  } else if (option == "-G" || option == "--device-debug") {
    out.emplace_back("-g");
  } else if (const auto ptxas = value_of(option, "-Xptxas", "--ptxas-options")) {
    out.push_back("-Xptxas=" + std::string(*ptxas));
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
    if (!chooses_output_form(option)) options.push_back(region::with_time_stand_ins(option));
  }
  return options;
}

std::vector<std::string> link_options(const region::Slice& slice, const region::SmArch& arch, Form form) {
  std::vector<std::string> options = {"-arch=" + region::to_string(arch)};
  if (form != Form::ltoir) return options;
  options.emplace_back("-lto");
  LinkMath math;
  std::vector<std::string> others;
  for (const auto& option : slice.options) {
    if (!math.take(option)) add_link_option(option, others);
  }
  math.add_to(options);
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

}  // namespace cudahot::build
