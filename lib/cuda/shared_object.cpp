#include "lib/cuda/shared_object.hpp"

#include <utility>

#include <dlfcn.h>

#include <fmt/format.h>

namespace cudahot::cuda {

Result<SharedObject> SharedObject::open(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return fail(ErrorCode::environment, fmt::format("cannot load '{}': {}", file, reason ? reason : "unknown reason"));
  }
  return SharedObject(handle);
}

SharedObject::~SharedObject() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

SharedObject::SharedObject(SharedObject&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

SharedObject& SharedObject::operator=(SharedObject&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void* SharedObject::symbol(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace cudahot::cuda
