#include "cache/bundle_layer.hpp"

#include <utility>

namespace cudahot::cache {

BundleLayer::BundleLayer(std::filesystem::path file, OnceLog& log)
    : file_(std::move(file)), report_(std::make_shared<TroubleReport>("bundle", log)) {}

std::vector<Store::ShippedSlice> BundleLayer::slices() {
  if (const auto& start = opened().start) {
    auto slices = start->slices();
    if (slices) return std::move(*slices);
    report_->say(slices.error().message);
  }
  std::vector<Store::ShippedSlice> slices;
  const auto stored = opened().database->read([](Store& store) { return store.slices(); });
  if (!stored) return slices;
  for (const Store::StoredSlice& slice : *stored) {
    slices.push_back({region::head_of(slice.slice), slice.toolkit, slice.helper_library, {}, 0});
  }
  return slices;
}

std::optional<Artifact> BundleLayer::shipped_artifact(const Store::ShippedCode& code) {
  const auto& start = opened().start;
  if (!start) return std::nullopt;
  auto artifact = start->artifact(code);
  if (artifact) return std::move(*artifact);
  report_->say(artifact.error().message);
  return std::nullopt;
}

Result<region::Slice> BundleLayer::slice(std::string_view source) {
  Result<region::Slice> slice;
  const auto action = [&](Store& store) -> Status {
    auto stored = store.stored_slice(source);
    if (stored) slice = std::move(stored->slice);
    else slice = fail(stored.error());
    // What is wrong with one slice is no trouble of the bundle.
    const bool of_slice = !stored && (stored.error().code == ErrorCode::damaged ||  //
                                      stored.error().code == ErrorCode::not_found);
    return stored || of_slice ? Status() : fail(std::move(stored.error()));
  };
  if (const auto read = opened().database->read(action, StoreLayer::Trouble::returned); !read) {
    return fail(read.error());
  }
  return slice;
}

BundleLayer::Opened& BundleLayer::opened() {
  std::call_once(once_, [this] {
    Store::Settings settings;
    if (auto file = BundleFile::open(file_)) {  // else opening the database tells
      settings.bundle = std::make_shared<const BundleFile>(std::move(*file));
      auto start = StartSection::read(settings.bundle);
      if (start) opened_.start = std::move(*start);
      else report_->say(start.error().message);
    }
    opened_.database.emplace(file_, Store::Mode::read_only, report_, settings);
  });
  return opened_;
}

}  // namespace cudahot::cache
