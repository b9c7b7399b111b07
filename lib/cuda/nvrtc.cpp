#include "lib/cuda/nvrtc.hpp"

#include <nvrtc.h>

#include <fmt/format.h>

#include "lib/base/deep_stack.hpp"
#include "lib/cuda/shared_object.hpp"

namespace cudahot::cuda {

struct Nvrtc::Table {
  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcGetErrorString) error_string = nullptr;
  decltype(&::nvrtcGetNumSupportedArchs) architecture_count = nullptr;
  decltype(&::nvrtcGetSupportedArchs) architectures = nullptr;
  decltype(&::nvrtcCreateProgram) create = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy = nullptr;
  decltype(&::nvrtcCompileProgram) compile = nullptr;
  decltype(&::nvrtcAddNameExpression) add_name = nullptr;
  decltype(&::nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) log = nullptr;
  decltype(&::nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&::nvrtcGetCUBIN) cubin = nullptr;
  decltype(&::nvrtcGetLTOIRSize) ltoir_size = nullptr;
  decltype(&::nvrtcGetLTOIR) ltoir = nullptr;
  decltype(&::nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&::nvrtcGetPTX) ptx = nullptr;

  std::string file;
  std::string builtins;  // path, for messages
  int major = 0;
  int minor = 0;
  std::vector<int> supported;
};

namespace {

// Owns an NVRTC program.
class Program {
 public:
  explicit Program(decltype(&::nvrtcDestroyProgram) destroy) : destroy_(destroy) {}
  ~Program() {
    if (program_ != nullptr) destroy_(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  nvrtcProgram get() const { return program_; }
  nvrtcProgram* put() { return &program_; }

 private:
  decltype(&::nvrtcDestroyProgram) destroy_;
  nvrtcProgram program_ = nullptr;
};

template <typename SizeFunction, typename GetFunction>
nvrtcResult read_output(nvrtcProgram program, SizeFunction size_function, GetFunction get_function, std::string& out) {
  std::size_t size = 0;
  const nvrtcResult sized = size_function(program, &size);
  if (sized != NVRTC_SUCCESS) return sized;
  out.resize(size);
  return size == 0 ? NVRTC_SUCCESS : get_function(program, out.data());
}

void drop_final_zeros(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

}  // namespace

Nvrtc::Nvrtc(std::unique_ptr<Table> table) : table_(std::move(table)) {}
Nvrtc::~Nvrtc() = default;

int Nvrtc::major() const { return table_->major; }
int Nvrtc::minor() const { return table_->minor; }
const std::vector<int>& Nvrtc::supported_architectures() const { return table_->supported; }

Result<std::shared_ptr<Nvrtc>> Nvrtc::load(const Toolkit& toolkit) {
  // NVRTC asks for this library by its bare name at the first compile, and the loader's search path may hold another
  // toolkit's: what is loaded already under that name is what it gets.
  auto builtins = SharedObject::open(toolkit.nvrtc_builtins.string());
  if (!builtins) {
    return fail(
        ErrorCode::environment,
        fmt::format("NVRTC's builtins library cannot be loaded: {}. Reinstall the toolkit, or name another one.",
                    builtins.error().message));
  }
  auto object = SharedObject::open(toolkit.nvrtc.string());
  if (!object) return fail(std::move(object.error()));
  auto table = std::make_unique<Table>();
  table->file = toolkit.nvrtc.string();
  table->builtins = toolkit.nvrtc_builtins.string();
  const char* missing = nullptr;
  auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(object->symbol(name));
    if (function == nullptr && missing == nullptr) missing = name;
  };
  bind(table->version, "nvrtcVersion");
  bind(table->error_string, "nvrtcGetErrorString");
  bind(table->architecture_count, "nvrtcGetNumSupportedArchs");
  bind(table->architectures, "nvrtcGetSupportedArchs");
  bind(table->create, "nvrtcCreateProgram");
  bind(table->destroy, "nvrtcDestroyProgram");
  bind(table->compile, "nvrtcCompileProgram");
  bind(table->add_name, "nvrtcAddNameExpression");
  bind(table->lowered_name, "nvrtcGetLoweredName");
  bind(table->log_size, "nvrtcGetProgramLogSize");
  bind(table->log, "nvrtcGetProgramLog");
  bind(table->cubin_size, "nvrtcGetCUBINSize");
  bind(table->cubin, "nvrtcGetCUBIN");
  bind(table->ltoir_size, "nvrtcGetLTOIRSize");
  bind(table->ltoir, "nvrtcGetLTOIR");
  bind(table->ptx_size, "nvrtcGetPTXSize");
  bind(table->ptx, "nvrtcGetPTX");
  if (missing != nullptr) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' has no function {}: it is too old; a toolkit of CUDA 12.0 or later is needed",
                            table->file, missing));
  }
  if (table->version(&table->major, &table->minor) != NVRTC_SUCCESS) {
    return fail(ErrorCode::environment, fmt::format("'{}' does not tell its version", table->file));
  }
  if (table->major != static_cast<int>(toolkit.version_major) ||
      table->minor != static_cast<int>(toolkit.version_minor)) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' is NVRTC {}.{}, but the headers in '{}' are of CUDA {}.{}: use one toolkit for both",
                            table->file, table->major, table->minor, toolkit.include.string(), toolkit.version_major,
                            toolkit.version_minor));
  }
  int count = 0;
  if (table->architecture_count(&count) == NVRTC_SUCCESS && count > 0) {
    table->supported.resize(static_cast<std::size_t>(count));
    if (table->architectures(table->supported.data()) != NVRTC_SUCCESS) table->supported.clear();
  }
  // Never unloaded: its threads and caches outlive any one user.
  static_cast<void>(builtins->release());
  static_cast<void>(object->release());
  return std::shared_ptr<Nvrtc>(new Nvrtc(std::move(table)));
}

Result<NvrtcResult> Nvrtc::compile(const NvrtcRequest& request) const {
  const Table& t = *table_;
  std::vector<const char*> header_texts;
  std::vector<const char*> header_names;
  for (const auto& [name, text] : request.headers) {
    header_names.push_back(name.c_str());
    header_texts.push_back(text.c_str());
  }
  auto broken = [&](const char* step, nvrtcResult code) {
    return fail(ErrorCode::environment, fmt::format("NVRTC ({}) failed to {}: {}", t.file, step, t.error_string(code)));
  };
  Program program(t.destroy);
  nvrtcResult code = t.create(program.put(), request.source.c_str(), request.name.c_str(),
                              static_cast<int>(header_names.size()), header_texts.data(), header_names.data());
  if (code != NVRTC_SUCCESS) return broken("take the program", code);
  for (const auto& expression : request.name_expressions) {
    code = t.add_name(program.get(), expression.c_str());
    if (code != NVRTC_SUCCESS) return broken(fmt::format("take the name '{}'", expression).c_str(), code);
  }
  std::vector<const char*> options;
  for (const auto& option : request.options) options.push_back(option.c_str());
  base::run_on_deep_stack([&] { code = t.compile(program.get(), static_cast<int>(options.size()), options.data()); });

  NvrtcResult result;
  if (read_output(program.get(), t.log_size, t.log, result.log) != NVRTC_SUCCESS) result.log.clear();
  drop_final_zeros(result.log);
  switch (code) {
    case NVRTC_SUCCESS:
      break;
    case NVRTC_ERROR_COMPILATION:
      return fail(ErrorCode::source, std::move(result.log));
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      return fail(ErrorCode::environment,
                  fmt::format("NVRTC could not load its builtins library '{}': it is missing, unreadable or of another "
                              "version. Reinstall the toolkit. {}",
                              t.builtins, result.log));
    case NVRTC_ERROR_INVALID_OPTION:
      return fail(ErrorCode::environment,
                  fmt::format("NVRTC {}.{} ({}) refuses an option: {}", t.major, t.minor, t.file, result.log));
    default:
      return fail(ErrorCode::environment,
                  fmt::format("NVRTC ({}) failed: {}. {}", t.file, t.error_string(code), result.log));
  }
  switch (request.output) {
    case NvrtcOutput::cubin:
      code = read_output(program.get(), t.cubin_size, t.cubin, result.blob);
      break;
    case NvrtcOutput::ltoir:
      code = read_output(program.get(), t.ltoir_size, t.ltoir, result.blob);
      break;
    case NvrtcOutput::ptx:
      code = read_output(program.get(), t.ptx_size, t.ptx, result.blob);
      drop_final_zeros(result.blob);
      break;
  }
  if (code != NVRTC_SUCCESS) return broken("give its output", code);
  for (const auto& expression : request.name_expressions) {
    const char* lowered = nullptr;
    code = t.lowered_name(program.get(), expression.c_str(), &lowered);
    if (code != NVRTC_SUCCESS || lowered == nullptr) {
      return broken(fmt::format("tell the symbol of '{}'", expression).c_str(), code);
    }
    result.lowered_names.emplace_back(expression, lowered);
  }
  return result;
}

}  // namespace cudahot::cuda
