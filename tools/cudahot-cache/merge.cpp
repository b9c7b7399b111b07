#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/slices.hpp"
#include "tools/cudahot-cache/staged_database.hpp"
#include "tools/cudahot-cache/transfer.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;

struct Input {
  Store store;
  std::vector<base::Digest> keys;
  std::vector<Store::StoredSlice> slices;
  std::map<std::string, std::int64_t> made_unix;  // the latest entry of each source
};

Result<Input> read_input(const std::filesystem::path& file, std::vector<std::string>& damaged) {
  auto store = open_input(file, damaged);
  if (!store) return fail(store.error());
  auto keys = all_keys(*store);
  if (!keys) return fail(keys.error());
  auto slices = store->slices();
  if (!slices) return fail(slices.error());
  const auto entries = store->list();
  if (!entries) return fail(entries.error());
  Input input{std::move(*store), std::move(*keys), std::move(*slices), {}};
  for (const auto& entry : *entries) {
    auto& made = input.made_unix[entry.source];
    made = std::max(made, entry.created_unix);
  }
  return input;
}

// One slice for each source, and where it came from.
struct United {
  Store::StoredSlice slice;
  const Input* input = nullptr;
};

std::int64_t made(const Input& input, const std::string& source) {
  const auto found = input.made_unix.find(source);
  return found == input.made_unix.end() ? 0 : found->second;
}

Result<std::vector<Store::StoredSlice>> unite_all(const std::vector<Input>& inputs, Preference preference) {
  std::vector<United> all;
  for (const Input& input : inputs) {
    for (const auto& slice : input.slices) {
      const std::string& source = region::main_file(slice.slice).path;
      const auto present = std::ranges::find_if(
          all, [&](const United& other) { return region::main_file(other.slice.slice).path == source; });
      if (present == all.end()) {
        all.push_back({slice, &input});
        continue;
      }
      const std::string different = difference(present->slice, slice);
      if (different.empty()) {
        present->slice = unite(present->slice, slice);
      } else if (preference == Preference::none) {
        return fail(ErrorCode::source,
                    fmt::format("'{}' is in '{}' and in '{}' with different {}; make both again from the same files, "
                                "or choose with --prefer first or --prefer newest",
                                source, present->input->store.file().string(), input.store.file().string(), different));
      } else if (preference == Preference::newest && made(input, source) > made(*present->input, source)) {
        *present = {slice, &input};
      }
    }
  }
  std::vector<Store::StoredSlice> slices;
  for (United& united : all) slices.push_back(std::move(united.slice));
  return slices;
}

Status merge_into(const MergeOptions& options, Transfer& transfer) {
  std::vector<Input> inputs;
  for (const auto& file : options.inputs) {
    auto input = read_input(file, transfer.damaged);
    if (!input) return fail(input.error());
    inputs.push_back(std::move(*input));
  }
  const auto slices = unite_all(inputs, options.preference);
  if (!slices) return fail(slices.error());
  auto staged = StagedDatabase::beside(options.output, options.force);
  if (!staged) return fail(staged.error());
  return staged->make_bundle([&](Store& bundle) -> Status {
    for (const auto& slice : *slices) {
      if (const auto done = bundle.put_slice(slice); !done) return done;
      ++transfer.slices;
    }
    for (Input& input : inputs) {
      if (const auto done = copy_entries(input.store, input.keys, bundle, transfer); !done) return done;
    }
    return {};
  });
}

}  // namespace

int merge(const Session& session, const MergeOptions& options) {
  Transfer transfer;
  if (const auto done = merge_into(options, transfer); !done) return report(done.error());
  if (session.json) {
    Json json = {{"file", options.output.string()}};
    json.update(to_json(transfer));
    print(json);
  }
  message(fmt::format("'{}' has {} and {}", options.output.string(), counted(transfer.copied, "entry", "entries"),
                      counted(transfer.slices, "slice", "slices")));
  return report_damaged(transfer);
}

}  // namespace cudahot::tool
