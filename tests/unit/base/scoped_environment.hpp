// Sets one environment variable for the length of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace cudahot::base {

class ScopedEnvironment {
 public:
  // nullptr: unset.
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~ScopedEnvironment() { set(old_ ? old_->c_str() : nullptr); }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  void set(const char* value) {
    if (value != nullptr) ::setenv(name_, value, 1);
    else ::unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace cudahot::base
