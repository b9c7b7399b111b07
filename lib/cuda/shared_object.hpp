// Owner of a dlopened library.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "cudahot/result.hpp"

namespace cudahot::cuda {

class SharedObject {
 public:
  // RTLD_NOW | RTLD_LOCAL. Errors: not_found, environment, with dlerror's text.
  static Result<SharedObject> open(const std::string& file);
  ~SharedObject();
  SharedObject(SharedObject&& other) noexcept;
  SharedObject& operator=(SharedObject&& other) noexcept;

  void* symbol(const char* name) const;  // nullptr when absent

  // Gives up ownership: the library stays loaded to the end of the process.
  void* release() { return std::exchange(handle_, nullptr); }

 private:
  explicit SharedObject(void* handle) : handle_(handle) {}
  void* handle_ = nullptr;
};

}  // namespace cudahot::cuda
