// The record of the table `start`: what a program needs of a slice to run its kernels from the bundle as they were
// built. Grammar: docs/cache-format.md.
#pragma once

#include <string>
#include <string_view>

#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// Of `shipped`, its head but for the source, and its code.
std::string write_start_record(const Store::ShippedSlice& shipped);

// Sets these in `shipped`, whose head has its source. `code` stays empty when the keys are of another version of the
// preimage. Errors: damaged.
Status read_start_record(std::string_view record, Store::ShippedSlice& shipped);

}  // namespace cudahot::cache
