// TestTu: a source in a folder of its own, extracted; and its slice, compiled by NVRTC.
#pragma once

#include <string>
#include <vector>

#include "lib/base/files.hpp"
#include "lib/extract/extract.hpp"

namespace cudahot::extract {

class TestTu {
 public:
  // `source` becomes shade.cu.
  explicit TestTu(std::string_view source);

  TestTu& file(const std::string& name, std::string_view content);
  TestTu& flags(std::vector<std::string> flags);
  TestTu& without_device_runtime();
  TestTu& toolkit(const std::filesystem::path& root);

  Result<ExtractReport> result() { return extract(request_); }
  ExtractReport report();
  // Fails the test when there is none, naming the diagnostics.
  region::Slice slice();

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  base::TemporaryFolder folder_;
  ExtractRequest request_;
};

// Ids and lines of errors, "CH002 shade.cu:3", in order; the text where there is no id.
std::vector<std::string> errors(const ExtractReport& report);

std::string body_text(const region::Slice& slice, const std::string& region);
const region::Region& region_named(const region::Slice& slice, const std::string& name);
std::vector<std::string> names(const std::vector<region::Variable>& variables);

// NVRTC's log when it refuses the text; empty when it compiles for sm_90. As lib/build calls it.
std::string compile_errors(const region::Slice& slice);
// The same for both texts of the quick tier; "whole" when lib/build would not split it.
std::string quick_tier_errors(const region::Slice& slice);

}  // namespace cudahot::extract
