#include "cache/bundle_layer.hpp"

#include <utility>

namespace cudahot::cache {

BundleLayer::BundleLayer(std::filesystem::path file, OnceLog& log)
    : file_(std::move(file)),
      report_(std::make_shared<TroubleReport>("bundle", log)),
      store_(file_, Store::Mode::read_only, report_, Store::Settings{}) {}

std::vector<Store::ShippedSlice> BundleLayer::slices() {
  if (const StartSection* const section = start()) {
    auto slices = section->slices();
    if (slices) return std::move(*slices);
    report_->say(slices.error().message);
  }
  std::vector<Store::ShippedSlice> slices;
  const auto stored = store_.read([](Store& store) { return store.slices(); });
  if (!stored) return slices;
  for (const Store::StoredSlice& slice : *stored) {
    slices.push_back({region::head_of(slice.slice), slice.toolkit, slice.helper_library, {}, 0});
  }
  return slices;
}

std::optional<Artifact> BundleLayer::shipped_artifact(const Store::ShippedCode& code) {
  const StartSection* const section = start();
  if (section == nullptr) return std::nullopt;
  auto artifact = section->artifact(code);
  if (artifact) return std::move(*artifact);
  report_->say(artifact.error().message);
  return std::nullopt;
}

Result<region::Slice> BundleLayer::slice(std::string_view source) {
  Result<region::Slice> slice;
  const auto read = store_.read([&](Store& store) -> Status {
    auto stored = store.stored_slice(source);
    if (stored) slice = std::move(stored->slice);
    else slice = fail(stored.error());
    // Damage of one slice is no trouble of the bundle.
    return stored || stored.error().code == ErrorCode::damaged ? Status() : fail(std::move(stored.error()));
  });
  if (!read) return fail(read.error());
  return slice;
}

const StartSection* BundleLayer::start() {
  std::call_once(opened_, [this] {
    auto section = StartSection::open(file_);
    if (section) start_ = std::move(*section);
    else if (section.error().code == ErrorCode::damaged) report_->say(section.error().message);
    // That the file cannot be read at all is told of the database.
  });
  return start_ ? &*start_ : nullptr;
}

}  // namespace cudahot::cache
