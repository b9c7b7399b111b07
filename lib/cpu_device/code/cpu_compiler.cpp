#include "lib/cpu_device/code/cpu_compiler.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "lib/base/paths.hpp"
#include "lib/cpu_device/code/prelude.hpp"
#include "lib/cpu_device/code/tool.hpp"

namespace cudahot::cpu_device {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestClang = 18;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::optional<fs::path> first_program(std::initializer_list<const char*> names) {
  for (const auto* name : names) {
    if (auto path = base::find_program(name)) return path;
  }
  return std::nullopt;
}

std::optional<fs::path> find_linker(const fs::path& clang) {
  std::error_code error;
  const fs::path real = fs::canonical(clang, error);
  if (!error) {
    if (const fs::path beside = real.parent_path() / "ld.lld"; is_there(beside)) return beside;
  }
  return first_program({"ld.lld-22", "ld.lld", "ld"});
}

std::optional<fs::path> find_library(const char* name) {
  for (const auto* folder : {"/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}) {
    if (fs::path path = fs::path(folder) / name; is_there(path)) return path;
  }
  return std::nullopt;
}

Result<std::string> first_line(const fs::path& program, const std::function<bool()>& cancelled) {
  base::ProcessRequest request;
  request.arguments = {program.string(), "--version"};
  auto outcome = run_tool(std::move(request), cancelled);
  if (!outcome) return tl::unexpected<Error>(outcome.error());
  if (outcome->exit_code != 0) {
    return tool_failed(program.string() + " --version", *outcome);
  }
  return outcome->out.substr(0, outcome->out.find('\n'));
}

// The number behind "version ", or 0.
int major_version(std::string_view line) {
  constexpr std::string_view kMark = "version ";
  const std::size_t mark = line.find(kMark);
  int number = 0;
  if (mark != std::string_view::npos) {
    std::from_chars(line.data() + mark + kMark.size(), line.data() + line.size(), number);
  }
  return number;
}

}  // namespace

Result<CpuCompiler> find_cpu_compiler(const std::optional<fs::path>& clang) {
  CpuCompiler compiler;
  const auto from_environment = base::environment("CUDAHOT_CLANG");
  if (clang || from_environment) {
    compiler.clang = clang ? *clang : fs::path(*from_environment);
    if (!is_there(compiler.clang)) {
      return fail(ErrorCode::environment,
                  fmt::format("no compiler for the CPU device at {}; {}", compiler.clang.string(),
                              clang ? "give the path of a clang++" : "set CUDAHOT_CLANG to the path of a clang++"));
    }
  } else if (auto found = first_program({"clang++-22", "clang-22", "clang++"})) {
    compiler.clang = *found;
  } else {
    return fail(
        ErrorCode::environment,
        "no compiler for the CPU device: neither clang++-22, clang-22 nor clang++ is on PATH; install clang-22, "
        "or set CUDAHOT_CLANG");
  }
  const auto linker = find_linker(compiler.clang);
  if (!linker) {
    return fail(ErrorCode::environment,
                "no linker for the CPU device: neither ld.lld nor ld is on PATH; install lld-22 or binutils");
  }
  compiler.linker = *linker;
  for (const auto* name : {"libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}) {
    const auto library = find_library(name);
    if (!library) {
      return fail(ErrorCode::environment, fmt::format("the CPU device needs glibc for x86-64: {} was not found", name));
    }
    compiler.libraries.push_back(*library);
  }
  return compiler;
}

Result<std::string> identify(const CpuCompiler& compiler, const std::function<bool()>& cancelled) {
  const auto clang = first_line(compiler.clang, cancelled);
  if (!clang) return clang;
  if (clang->find("clang") == std::string::npos || major_version(*clang) < kOldestClang) {
    return fail(ErrorCode::environment, fmt::format("{} is '{}'; the CPU device needs Clang {} or newer",
                                                    compiler.clang.string(), *clang, kOldestClang));
  }
  const auto linker = first_line(compiler.linker, cancelled);
  if (!linker) return linker;
  return fmt::format("{}; {}; prelude {}", *clang, *linker, base::to_hex(prelude_digest()));
}

}  // namespace cudahot::cpu_device
