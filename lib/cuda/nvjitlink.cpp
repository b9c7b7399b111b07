#include "lib/cuda/nvjitlink.hpp"

#include <nvJitLink.h>

#include <fmt/format.h>

#include "lib/cuda/shared_object.hpp"

namespace cudahot::cuda {

struct NvJitLink::Table {
  nvJitLinkResult (*version)(unsigned*, unsigned*) = nullptr;
  nvJitLinkResult (*create)(nvJitLinkHandle*, std::uint32_t, const char**) = nullptr;
  nvJitLinkResult (*destroy)(nvJitLinkHandle*) = nullptr;
  nvJitLinkResult (*add_data)(nvJitLinkHandle, nvJitLinkInputType, const void*, std::size_t, const char*) = nullptr;
  nvJitLinkResult (*complete)(nvJitLinkHandle) = nullptr;
  nvJitLinkResult (*cubin_size)(nvJitLinkHandle, std::size_t*) = nullptr;
  nvJitLinkResult (*cubin)(nvJitLinkHandle, void*) = nullptr;
  nvJitLinkResult (*error_log_size)(nvJitLinkHandle, std::size_t*) = nullptr;
  nvJitLinkResult (*error_log)(nvJitLinkHandle, char*) = nullptr;

  std::string file;
  unsigned major = 0;
  unsigned minor = 0;
};

namespace {

// Owns an nvJitLink session.
class Session {
 public:
  explicit Session(nvJitLinkResult (*destroy)(nvJitLinkHandle*)) : destroy_(destroy) {}
  ~Session() {
    if (handle_ != nullptr) destroy_(&handle_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  nvJitLinkHandle get() const { return handle_; }
  nvJitLinkHandle* put() { return &handle_; }

 private:
  nvJitLinkResult (*destroy_)(nvJitLinkHandle*);
  nvJitLinkHandle handle_ = nullptr;
};

nvJitLinkInputType input_type(LinkInputKind kind) {
  switch (kind) {
    case LinkInputKind::cubin:
      return NVJITLINK_INPUT_CUBIN;
    case LinkInputKind::ltoir:
      return NVJITLINK_INPUT_LTOIR;
    case LinkInputKind::archive:
      return NVJITLINK_INPUT_LIBRARY;
  }
  return NVJITLINK_INPUT_NONE;
}

// The functions carry the version of the library that defines them, "__nvJitLinkCreate_13_0";
// later minors keep the names of earlier ones.
void* versioned_symbol(const SharedObject& object, const char* function, unsigned major, unsigned minor) {
  for (unsigned m = minor + 1; m-- > 0;) {
    if (void* symbol = object.symbol(fmt::format("__nvJitLink{}_{}_{}", function, major, m).c_str())) return symbol;
  }
  return nullptr;
}

}  // namespace

NvJitLink::NvJitLink(std::unique_ptr<Table> table) : table_(std::move(table)) {}
NvJitLink::~NvJitLink() = default;

unsigned NvJitLink::major() const { return table_->major; }
unsigned NvJitLink::minor() const { return table_->minor; }

Result<std::shared_ptr<NvJitLink>> NvJitLink::load(const Toolkit& toolkit) {
  auto object = SharedObject::open(toolkit.nvjitlink.string());
  if (!object) return fail(std::move(object.error()));
  auto table = std::make_unique<Table>();
  table->file = toolkit.nvjitlink.string();
  table->version = reinterpret_cast<decltype(table->version)>(object->symbol("nvJitLinkVersion"));
  if (table->version == nullptr || table->version(&table->major, &table->minor) != NVJITLINK_SUCCESS) {
    return fail(ErrorCode::environment, fmt::format("'{}' does not tell its version", table->file));
  }
  if (table->major != toolkit.version_major) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' is nvJitLink {}.{}, but the toolkit is CUDA {}.{}: use one toolkit for all parts",
                            table->file, table->major, table->minor, toolkit.version_major, toolkit.version_minor));
  }
  const char* missing = nullptr;
  auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        versioned_symbol(*object, name, table->major, table->minor));
    if (function == nullptr && missing == nullptr) missing = name;
  };
  bind(table->create, "Create");
  bind(table->destroy, "Destroy");
  bind(table->add_data, "AddData");
  bind(table->complete, "Complete");
  bind(table->cubin_size, "GetLinkedCubinSize");
  bind(table->cubin, "GetLinkedCubin");
  bind(table->error_log_size, "GetErrorLogSize");
  bind(table->error_log, "GetErrorLog");
  if (missing != nullptr) {
    return fail(ErrorCode::environment, fmt::format("'{}' (version {}.{}) has no function nvJitLink{}", table->file,
                                                    table->major, table->minor, missing));
  }
  // Never unloaded: its threads and caches outlive any one user.
  static_cast<void>(object->release());
  return std::shared_ptr<NvJitLink>(new NvJitLink(std::move(table)));
}

Result<std::string> NvJitLink::link(const std::vector<LinkInput>& inputs,
                                    const std::vector<std::string>& options) const {
  const Table& t = *table_;
  std::vector<const char*> option_pointers;
  for (const auto& option : options) option_pointers.push_back(option.c_str());
  Session session(t.destroy);
  auto log = [&] {
    std::size_t size = 0;
    if (session.get() == nullptr || t.error_log_size(session.get(), &size) != NVJITLINK_SUCCESS || size == 0) {
      return std::string("no further message");
    }
    std::string text(size, '\0');
    if (t.error_log(session.get(), text.data()) != NVJITLINK_SUCCESS) return std::string("no further message");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text.empty() ? std::string("no further message") : text;
  };
  nvJitLinkResult code =
      t.create(session.put(), static_cast<std::uint32_t>(option_pointers.size()), option_pointers.data());
  if (code != NVJITLINK_SUCCESS) {
    return fail(ErrorCode::environment, fmt::format("nvJitLink {}.{} ({}) refuses an option (code {}): {}", t.major,
                                                    t.minor, t.file, static_cast<int>(code), log()));
  }
  for (const LinkInput& input : inputs) {
    code = t.add_data(session.get(), input_type(input.kind), input.blob.data(), input.blob.size(), input.name.c_str());
    if (code != NVJITLINK_SUCCESS) {
      return fail(ErrorCode::link,
                  fmt::format("nvJitLink refuses '{}' (code {}): {}", input.name, static_cast<int>(code), log()));
    }
  }
  code = t.complete(session.get());
  if (code != NVJITLINK_SUCCESS) {
    return fail(ErrorCode::link, fmt::format("device link failed (code {}): {}", static_cast<int>(code), log()));
  }
  std::size_t size = 0;
  std::string blob;
  code = t.cubin_size(session.get(), &size);
  if (code == NVJITLINK_SUCCESS) {
    blob.resize(size);
    code = t.cubin(session.get(), blob.data());
  }
  if (code != NVJITLINK_SUCCESS || blob.empty()) {
    return fail(ErrorCode::link,
                fmt::format("nvJitLink gives no linked CUBIN (code {}): {}", static_cast<int>(code), log()));
  }
  return blob;
}

}  // namespace cudahot::cuda
