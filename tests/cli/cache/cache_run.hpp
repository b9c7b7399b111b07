// cudahot-cache through its real binary, on a small cache.
#pragma once

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cache/sqlite.hpp"
#include "lib/base/processes.hpp"
#include "tests/support/write_protected.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {

using base::ProcessOutcome;
using nlohmann::json;

inline std::string program(const std::string& name = "cudahot-cache") {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  return std::string(folder != nullptr ? folder : "build/bin") + "/" + name;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class CacheCli : public CacheTest {
 protected:
  // Three kernels and a library: "alpha" (sm_90a, quick), "beta" (sm_90, full), "gamma" (sm_75).
  void SetUp() override {
    Store store = open("cache.db", Store::Mode::read_write);
    Artifact artifact = example_artifact();
    artifact.name = "alpha";
    artifact.blob = "1";
    ASSERT_TRUE(store.insert(example_key("alpha"), artifact));
    artifact.name = "beta";
    artifact.arch = {90};
    artifact.tier = region::Tier::full;
    artifact.blob = std::string(6000, 'b');
    artifact.kernels = {{"beta", 255, 49152, 0, 0, 0, {}}};
    ASSERT_TRUE(store.insert(example_key("beta"), artifact));
    artifact.name = "gamma";
    artifact.arch = {75};
    artifact.blob = "333";
    artifact.kernels = {{"gamma", 7, 0, 0, 0, 0, {}}};
    ASSERT_TRUE(store.insert(example_key("gamma"), artifact));
    Artifact library;
    library.kind = ArtifactKind::library_ltoir;
    library.name = "helper library";
    library.arch = {75};
    ASSERT_TRUE(store.insert(example_key("library"), library));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.find(example_key("beta")).value());
  }

  // An entry made and used so many seconds ago; used 0: never.
  void put(const std::string& name, std::int64_t made, std::int64_t used, Artifact artifact = example_artifact()) {
    artifact.name = name;
    Store::Entry entry;
    const std::int64_t now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    entry.summary.created_unix = now - made;
    entry.summary.last_used_unix = used == 0 ? 0 : now - used;
    entry.summary.hits = used == 0 ? 0 : 1;
    entry.artifact = std::move(artifact);
    entry.preimage = parse_preimage(example_key(name).preimage).value();
    ASSERT_TRUE(open("cache.db", Store::Mode::read_write).copy(entry).value());
  }

  ProcessOutcome run(std::vector<std::string> arguments) {
    base::ProcessRequest request;
    request.arguments = {program()};
    request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
    request.extra_environment = {"CUDAHOT_CACHE=" + path("cache.db").string()};
    return run_process(request);
  }

  // `script` has the program as $0.
  ProcessOutcome run_shell(const std::string& script) {
    base::ProcessRequest request;
    request.arguments = {"sh", "-c", script, std::filesystem::absolute(program()).string()};
    request.extra_environment = {"CUDAHOT_CACHE=" + path("cache.db").string()};
    request.working_directory = path("");
    return run_process(request);
  }

  // As somebody who can write nothing in the folder. nullopt: he cannot run the program either.
  std::optional<ProcessOutcome> run_write_protected(std::vector<std::string> arguments) {
    const test_support::WriteProtected folder(path(""));
    if (::eaccess(program().c_str(), X_OK) != 0) return std::nullopt;
    return run(std::move(arguments));
  }

  json run_json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const auto outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }

  static std::vector<std::string> names_in(const json& entries) {
    std::vector<std::string> result;
    for (const auto& entry : entries) result.push_back(entry.at("name"));
    return result;
  }

  std::vector<std::string> names(std::vector<std::string> arguments) {
    return names_in(run_json(std::move(arguments)).at("entries"));
  }

  static std::string key(const char* text) { return base::to_hex(example_key(text).digest); }

 private:
  static ProcessOutcome run_process(const base::ProcessRequest& request) {
    const auto outcome = base::run_process(request);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? *outcome : ProcessOutcome{};
  }
};

}  // namespace cudahot::cache
