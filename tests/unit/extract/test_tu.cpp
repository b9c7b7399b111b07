#include "test_tu.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/build/lambda_annotations.hpp"
#include "lib/build/options.hpp"
#include "lib/build/quick_split.hpp"
#include "lib/build/std_shims.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/cuda/toolkit.hpp"

namespace cudahot::extract {
namespace {

using Form = build::CompiledProgram::Form;

constexpr region::SmArch kArch{90, region::SmArch::Suffix::none};

base::TemporaryFolder make_folder() {
  auto folder = base::TemporaryFolder::create("cudahot-extract-test");
  if (!folder) throw std::runtime_error(folder.error().message);
  return std::move(*folder);
}

const cuda::Toolkit& test_toolkit() {
  static const cuda::Toolkit found = cuda::find_toolkit(CUDAHOT_TEST_TOOLKIT).value();
  return found;
}

std::string compile(const region::Slice& slice, const std::string& text, Form form) {
  static const std::shared_ptr<cuda::Nvrtc> nvrtc = cuda::Nvrtc::load(test_toolkit()).value();
  cuda::NvrtcRequest request;
  request.source = build::without_lambda_annotations(text);
  request.name = "slice.cu";
  if (form == Form::cubin && region::device_runtime(slice) != nullptr) form = Form::relocatable_cubin;
  request.options = build::compile_options(slice, kArch, form, test_toolkit());
  request.headers = build::std_shims();
  const auto compiled = nvrtc->compile(request);
  return compiled ? std::string() : compiled.error().message;
}

}  // namespace

TestTu::TestTu(std::string_view source) : folder_(make_folder()) {
  file("shade.cu", source);
  request_.file = "shade.cu";
  request_.working_directory = folder_.path();
  request_.architectures = {kArch};
  request_.cuda_root = test_toolkit().root;
  request_.cuda_include = test_toolkit().include;
  request_.device_runtime = test_toolkit().device_runtime;
  request_.resource_dir = CUDAHOT_TEST_CLANG_RESOURCES;
}

TestTu& TestTu::file(const std::string& name, std::string_view content) {
  std::filesystem::create_directories((folder_.path() / name).parent_path());
  const auto written = base::write_file_atomically(folder_.path() / name, content);
  EXPECT_TRUE(written.has_value());
  return *this;
}

TestTu& TestTu::flags(std::vector<std::string> flags) {
  request_.flags = std::move(flags);
  return *this;
}

TestTu& TestTu::without_device_runtime() {
  request_.device_runtime.clear();
  return *this;
}

TestTu& TestTu::toolkit(const std::filesystem::path& root) {
  const auto found = cuda::find_toolkit(root);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  if (!found) return *this;
  request_.cuda_root = found->root;
  request_.cuda_include = found->include;
  request_.device_runtime = found->device_runtime;
  return *this;
}

ExtractReport TestTu::report() {
  auto report = result();
  if (!report) {
    ADD_FAILURE() << report.error().message;
    return {};
  }
  return std::move(*report);
}

region::Slice TestTu::slice() {
  ExtractReport made = report();
  if (made.slice) return std::move(*made.slice);
  ADD_FAILURE() << "no slice: " << fmt::format("{}", fmt::join(errors(made), "; "));
  return {};
}

std::vector<std::string> errors(const ExtractReport& report) {
  std::vector<std::string> list;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity != Severity::error) continue;
    const std::string what = diagnostic.id.empty() ? diagnostic.text : diagnostic.id;
    list.push_back(fmt::format("{} {}:{}", what, diagnostic.location.file, diagnostic.location.line));
  }
  return list;
}

const region::Region& region_named(const region::Slice& slice, const std::string& name) {
  static const region::Region kNone;
  const auto found = std::find_if(slice.regions.begin(), slice.regions.end(),
                                  [&](const region::Region& each) { return each.name == name; });
  EXPECT_NE(found, slice.regions.end()) << "no region " << name;
  return found == slice.regions.end() ? kNone : *found;
}

std::string body_text(const region::Slice& slice, const std::string& region) {
  const region::TextRange body = region_named(slice, region).body;
  return slice.text.substr(body.begin, body.size());
}

std::vector<std::string> names(const std::vector<region::Variable>& variables) {
  std::vector<std::string> list;
  for (const region::Variable& variable : variables) list.push_back(variable.name);
  return list;
}

std::string compile_errors(const region::Slice& slice) { return compile(slice, slice.text, Form::cubin); }

std::string quick_tier_errors(const region::Slice& slice) {
  const auto texts = build::split_for_quick_tier(slice);
  if (!texts) return "whole";
  return compile(slice, texts->kernels, Form::relocatable_cubin) +
         compile(slice, texts->helpers, Form::relocatable_cubin);
}

}  // namespace cudahot::extract
