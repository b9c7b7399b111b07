#include "tests/unit/runtime/workbench.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "lib/region/splice.hpp"

namespace cudahot::runtime::testing {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

namespace {

region::FileRecord record_of(const std::string& path, const std::string& text, region::FileRecord::Role role) {
  const auto bodies = region::find_region_bodies(text, path);
  EXPECT_TRUE(bodies);
  return {path, path.substr(path.rfind('/') + 1), role, base::digest(text),
          region::digest_outside_regions(text, *bodies)};
}

void add_headers(region::Slice& slice, const std::string& path, const std::string& text) {
  constexpr std::string_view kInclude = "#include \"";
  for (std::size_t at = text.find(kInclude); at != std::string::npos; at = text.find(kInclude, at + 1)) {
    const std::size_t begin = at + kInclude.size();
    const std::string header = path.substr(0, path.rfind('/') + 1) + text.substr(begin, text.find('"', begin) - begin);
    const auto content = base::read_file(header);
    EXPECT_TRUE(content) << header;
    slice.files.push_back(record_of(header, content.value_or(""), region::FileRecord::Role::user_header));
    slice.text += *content;
  }
}

}  // namespace

region::Slice slice_of(const std::string& path, const std::string& text) {
  region::Slice slice;
  slice.text = text;
  slice.files.push_back(record_of(path, text, region::FileRecord::Role::main));
  const auto bodies = region::find_region_bodies(text, path);
  for (const auto& body : *bodies) {
    slice.regions.push_back(
        {region::Region::Kind::statements, body.name, "Shade", 0, body.first_line, body.body, {}, {}, {}});
  }
  slice.kernels.push_back({"Shade",
                           "",
                           "Shade",
                           0,
                           1,
                           {"shade"},
                           {{"out", "float *", 8, 0, "pointer"},
                            {"width", "unsigned", 4, 8, "unsigned int"},
                            {"time", "float", 4, 12, "float"}}});
  if (text.find("void Other(") != std::string::npos) {
    slice.kernels.push_back(slice.kernels[0]);
    slice.kernels[1].name = slice.kernels[1].mangled_name = "Other";
  }
  slice.architectures = {{90, region::SmArch::Suffix::none}};
  add_headers(slice, path, text);
  return slice;
}

Diagnostic diagnostic_at(const std::string& file, std::uint32_t line, std::uint32_t column, const std::string& text) {
  Diagnostic diagnostic;
  diagnostic.location.file = file;
  diagnostic.location.line = line;
  diagnostic.location.column = column;
  diagnostic.text = text;
  return diagnostic;
}

Result<build::BuiltCubin> FakeCompiler::find_or_build(const region::Slice& slice, const region::SmArch& arch,
                                                      region::Tier tier) {
  if (on_build) on_build();
  const std::lock_guard lock(mutex);
  const auto refuse = [&](std::size_t at, const std::string& text) {
    Error error{ErrorCode::source, "the code does not compile", {}, {}};
    const auto line = static_cast<std::uint32_t>(
        1 + std::count(slice.text.begin(), slice.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    error.diagnostics.push_back(diagnostic_at(slice.files[0].path, line, 0, text));
    return fail(std::move(error));
  };
  if (const std::size_t at = slice.text.find("SYNTAX_ERROR"); at != std::string::npos)
    return refuse(at, "expected a ;");
  for (const auto& [use, complaint] : {std::pair("LEFT_OUT", "identifier \"LEFT_OUT\" is undefined"),
                                       std::pair("<<<", "the required runtime APIs are not declared")}) {
    const std::size_t at = slice.text.find(use);
    if (at != std::string::npos && slice.text.find(std::string("declares ") + use) == std::string::npos) {
      return refuse(at, complaint);
    }
  }
  auto artifact = std::make_shared<cache::Artifact>();
  artifact->arch = arch;
  artifact->tier = tier;
  artifact->blob = slice.text;
  for (const region::Kernel& kernel : slice.kernels) {
    base::KernelFacts facts;
    facts.lowered_name = kernel.mangled_name;
    facts.registers = 32;
    for (const auto& parameter : kernel.parameters) facts.parameters.push_back({parameter.offset, parameter.size});
    artifact->kernels.push_back(std::move(facts));
    artifact->lowered_names.emplace_back(kernel.name, kernel.mangled_name);
  }
  if (adjust) adjust(*artifact);
  build::BuiltCubin built;
  built.key = base::digest(slice.text);
  built.compiled = known.insert(built.key).second;
  if (built.compiled) ++compiles;
  built.artifact = std::move(artifact);
  return built;
}

ExtractOutcome FakeCompiler::extract(const region::Slice& slice) {
  const std::lock_guard lock(mutex);
  ++extractions;
  std::vector<region::Lookup> lookups;
  for (const std::string& place : looked_for) lookups.push_back({place, is_there(place)});
  const std::string& path = slice.files[0].path;
  const auto text = base::read_file(path);
  if (!text) return {fail(text.error()), {}};
  if (text->find("EXTRACT_ERROR") != std::string::npos) {
    Error error{ErrorCode::source, "cannot be extracted", {}, {}};
    error.diagnostics.push_back(diagnostic_at(path, 1, 1, "not like this"));
    error.diagnostics.back().id = "CH001";
    std::vector<std::string> read = {path};
    if (text->find("broken.cuh") != std::string::npos)
      read.push_back(path.substr(0, path.rfind('/') + 1) + "broken.cuh");
    return {fail(std::move(error)), std::move(read), lookups};
  }
  auto made = slice_of(path, base::normalise_source(*text));
  if (adjust_slice) adjust_slice(made);
  made.lookups = lookups;
  return {std::move(made), {}};
}

Workbench::Workbench() : folder_(std::move(*base::TemporaryFolder::create("cudahot-runtime-test"))) { write(kSource); }

void Workbench::TearDown() {
  engine_.reset();
  EXPECT_THAT(driver_.misuses(), ::testing::IsEmpty());
  EXPECT_EQ(driver_.live_libraries(), 0u);
}

void Workbench::write(std::string_view text, const std::string& name) {
  // As an editor saves, but without waiting for the disk.
  std::ofstream(path("saving"), std::ios::binary) << text;
  std::filesystem::rename(path("saving"), path(name));
}

Engine& Workbench::start(Mode mode, std::optional<std::string> bundle_text, RetirementLimits limits) {
  const std::string text = bundle_text ? *bundle_text : *base::read_file(path());
  region::Slice slice = slice_of(path(), base::normalise_source(text));
  slice.lookups = more_lookups_;
  Suppliers suppliers;
  suppliers.driver = [this]() -> Result<std::shared_ptr<const cuda::DriverTable>> { return driver_.table(); };
  std::vector<test_support::BundledSlice> slices = {{slice}};
  slices.insert(slices.end(), more_slices_.begin(), more_slices_.end());
  test_support::supply(suppliers, std::move(slices));
  suppliers.slice = [this, read = suppliers.slice](const cache::Store::ShippedSlice& shipped) -> Result<region::Slice> {
    ++slices_read_;
    if (slice_is_damaged_) return fail(ErrorCode::damaged, "the slice is damaged: extract it again");
    return read(shipped);
  };
  if (code_is_shipped_) {
    suppliers.find_shipped = [this, slice](const cache::Store::ShippedSlice&, const region::SmArch& arch,
                                           region::Tier tier) -> std::optional<build::BuiltCubin> {
      auto built = compiler_.find_or_build(slice, arch, tier);
      if (!built) return std::nullopt;
      built->compiled = false;
      return std::move(*built);
    };
  }
  suppliers.bundles = "bundle 'test'";
  suppliers.find_or_build = [this](const region::Slice& wanted, const region::SmArch& arch, region::Tier tier,
                                   const base::ToolkitIdentity*) {
    return compiler_.find_or_build(wanted, arch, tier);
  };
  suppliers.extract = [this](const region::Slice& old, const std::function<bool()>&) { return compiler_.extract(old); };
  suppliers.read_cubin = [](std::string_view cubin) {
    cuda::CubinInfo info;
    if (cubin.find("__device__ int counter") != std::string_view::npos) {
      info.variables.push_back({"counter", cuda::DeviceVariable::Space::global, 4});
    }
    return Result<cuda::CubinInfo>(std::move(info));
  };
  auto reporter = std::make_shared<Reporter>(
      [this](LogLevel, std::string_view line) {
        const std::lock_guard lock(text_mutex_);
        text_.emplace_back(line);
      },
      [this](const ReloadEvent& event) { log_.add(event); }, std::nullopt);
  EngineSettings settings;
  settings.mode = mode;
  settings.retirement = limits;
  engine_ = std::make_unique<Engine>(settings, std::move(suppliers), std::move(reporter));
  return *engine_;
}

Result<std::shared_ptr<detail::Slot>> Workbench::bind(const std::string& kernel) {
  return engine_->bind(kernel, kShadeLayout);
}

std::shared_ptr<detail::Slot> Workbench::bound() {
  auto slot = bind();
  EXPECT_TRUE(slot) << (slot ? "" : slot.error().message);
  return slot ? *slot : nullptr;
}

Status Workbench::launch(detail::Slot& slot, unsigned threads) {
  LaunchConfig config;
  config.block = threads;
  void* arguments[] = {nullptr};
  return slot.launch(config, arguments);
}

std::string Workbench::running(detail::Slot& slot) {
  const Status launched = launch(slot);
  EXPECT_TRUE(launched) << (launched ? "" : launched.error().message);
  return driver_.last_launch().cubin;
}

}  // namespace cudahot::runtime::testing
