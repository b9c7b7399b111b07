#include "tests/device/inputs/project.hpp"

#include <cstdint>
#include <fstream>
#include <map>
#include <set>

#include "lib/base/digest.hpp"
#include "lib/base/files.hpp"
#include "lib/cpu_device/device_extension.h"
#include "lib/cuda/shared_object.hpp"

namespace cudahot::inputs {
namespace {

constexpr std::size_t kOutBytes = 64 << 10;

// Calls so far that a driver would have left undefined.
std::uint64_t misuses() {
  const auto library = test_support::built_programs().parent_path() / "lib" / "libcudahot-cpu-device.so";
  const auto device = cuda::SharedObject::open(library.string());
  if (!device) {
    ADD_FAILURE() << device.error().message;
    return 0;
  }
  CudahotCpuCounters counters{};
  reinterpret_cast<decltype(&cudahotCpuGetCounters)>(device->symbol("cudahotCpuGetCounters"))(&counters);
  return counters.misuses;
}

// Folder of that name, to the end of the process.
const std::filesystem::path& folder_for(const std::string& name) {
  static std::map<std::string, base::TemporaryFolder> folders;
  const auto known = folders.find(name);
  if (known != folders.end()) return known->second.path();
  return folders.emplace(name, base::TemporaryFolder::create(name).value()).first->second.path();
}

}  // namespace

std::string fill_source(const std::string& statement, const std::string& before) {
  return before +
         "extern \"C\" __global__ void Fill(int* out, int value) {\n"
         "#pragma cudahot begin(fill)\n" +
         statement +
         "\n#pragma cudahot end\n"
         "}\n";
}

std::string adding(int number) { return "  out[0] = value + " + std::to_string(number) + ";"; }

Project::Project(const std::string& folder_name)
    : folder_(folder_for(folder_name)), made_(folder_for("cudahot inputs made")) {
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) std::filesystem::remove_all(entry);
}

void Project::SetUp() {
  auto driver = test_support::tested_driver();
  CUDAHOT_NEEDS_DEVICE(driver)
  driver_ = *driver;
  architecture_ = test_support::architecture_of(*driver_);
  auto context = runtime::Context::open(driver_, nullptr);
  ASSERT_TRUE(context) << context.error().message;
  context_ = *context;
  current_ = std::make_unique<runtime::CurrentContext>(*context_);
  ASSERT_EQ(driver_->memory_allocate(&out_, kOutBytes), CUDA_SUCCESS);
  const std::vector<char> zeros(kOutBytes);
  ASSERT_EQ(driver_->copy_to_device(out_, zeros.data(), zeros.size()), CUDA_SUCCESS);
}

void Project::TearDown() {
  runtime_.reset();
  if (out_ != 0) driver_->memory_free(out_);
  current_.reset();
  const bool countable = driver_ != nullptr && test_support::tested_device() == Device::cpu;
  EXPECT_EQ(countable ? misuses() : 0, 0u);
}

void Project::save(const std::string& name, std::string_view text) const {
  const auto draft = path(name + ".saving");
  std::filesystem::create_directories(draft.parent_path());
  std::ofstream(draft, std::ios::binary) << text;
  std::filesystem::rename(draft, path(name));
}

void Project::remove_folders() const {
  std::filesystem::remove_all(folder_);
  std::filesystem::remove_all(made_);
}

base::ProcessOutcome Project::extract(std::vector<std::string> arguments, const std::filesystem::path& bundle) const {
  base::ProcessRequest request;
  request.arguments = {(test_support::built_programs() / "cudahot-extract").string(), "--arch", architecture_,
                       "--bundle", bundle.string()};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  request.working_directory = folder_;
  const auto outcome = base::run_process(request);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome ? *outcome : base::ProcessOutcome{};
}

std::filesystem::path Project::bundle_of(const std::vector<std::string>& arguments) const {
  base::Digester digester;
  const auto add = [&](std::string_view part) {
    digester.add(part);
    digester.add(std::string_view("\0", 1));
  };
  for (const std::string& argument : arguments) add(argument);
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  for (const auto& file : files) {
    add(file.string());
    add(base::read_file(file).value());
  }
  return made_ / (base::to_hex(digester.finish()) + ".cudahot");
}

Runtime& Project::start(Mode mode, std::vector<std::string> arguments) {
  const auto bundle = bundle_of(arguments);
  if (!std::filesystem::exists(bundle)) {
    const auto extracted = extract(std::move(arguments), bundle);
    EXPECT_EQ(extracted.exit_code, 0) << extracted.err;
  }
  return start_with(bundle, mode);
}

Runtime& Project::start_with(const std::filesystem::path& bundle, Mode mode) {
  RuntimeOptions options;
  options.bundles = {bundle};
  options.user_cache = made_ / "cache.db";
  options.mode = mode;
  options.extractor = test_support::built_programs() / "cudahot-extract";
  options.on_event = [this](const ReloadEvent& event) { events_.add(event); };
  runtime_ = std::make_unique<Runtime>(std::move(options));
  return *runtime_;
}

Fill Project::start_fill(Mode mode, const std::string& source) {
  save("fill.cu", source);
  auto fill = start(mode, {"fill.cu"}).kernel<void(int*, int)>("Fill");
  EXPECT_TRUE(fill) << fill.error().message;
  return fill;
}

int Project::run(const Fill& fill, int value) const {
  const Status launched = fill.launch({}, out(), value);
  EXPECT_TRUE(launched) << (launched ? "" : launched.error().message);
  return read<int>(1)[0];
}

}  // namespace cudahot::inputs
