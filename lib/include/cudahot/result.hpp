// Result and Error: how every cudahot call reports failure. No exception leaves the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace cudahot {

// A place in a user's file. Lines and columns count from 1; 0 means "not known".
struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

enum class Severity { note, warning, error };

// One message about a user's source.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string id;  // "CH012" for cudahot's own; empty for those of a compiler
  SourceLocation location;
  std::string text;   // one line, no trailing newline
  std::string frame;  // source line and caret line(s), each ended by a newline; may be empty
  std::string hint;   // what to do; may be empty

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// Classes of failure. They decide exit codes: source -> 1, usage -> 2, all others -> 3.
enum class ErrorCode {
  source,       // the user's source is at fault; diagnostics say where
  usage,        // an argument or a call is wrong
  not_found,    // a file, kernel, library or symbol does not exist
  environment,  // toolkit, driver, permissions, disk
  damaged,      // stored data does not match its digest or its grammar
  busy,         // a lock was not obtained in time
  driver,       // the CUDA driver returned an error
  link,         // device link failed or its result is not complete
  mismatch,     // new code does not fit the launch side (parameters, shared memory, state)
  internal,     // a broken assumption of cudahot itself
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;      // one clear sentence or two: what, where, what to do
  SourceLocation location;  // where it applies; file empty if nowhere
  std::vector<Diagnostic> diagnostics;
};

template <typename T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

// `return fail(ErrorCode::usage, "...")` from any function that returns a Result.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message, SourceLocation location = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(location), {}});
}

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace cudahot
