// What identifies the compilers that turn a slice into a CUBIN. A plain record, filled by
// lib/cuda without loading the libraries, part of every key.
#pragma once

#include <string>

namespace cudahot::base {

// For the architecture cpu-x86-64 `nvrtc` is the identity of Clang, its linker and the prelude, and `nvjitlink` empty.
struct ToolkitIdentity {
  std::string version;    // "13.0.88", from the toolkit's headers; for people
  std::string nvrtc;      // build id (or content digest) of libnvrtc and its builtins library
  std::string nvjitlink;  // build id (or content digest) of libnvJitLink

  friend bool operator==(const ToolkitIdentity&, const ToolkitIdentity&) = default;
};

}  // namespace cudahot::base
