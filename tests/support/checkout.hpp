// Where the checkout is on this machine: built tests may run on another than the one that built them.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace cudahot::test_support {

// From CUDAHOT_TEST_DATA (CHECKOUT/tests/data), which CTest and scripts/gpu-check set; else the
// folder that the test is run in.
inline std::filesystem::path checkout() {
  const char* data = std::getenv("CUDAHOT_TEST_DATA");
  return data == nullptr ? std::filesystem::path(".") : std::filesystem::path(data) / ".." / "..";
}

}  // namespace cudahot::test_support
