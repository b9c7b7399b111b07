#include "cache/facts_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cudahot::cache {
namespace {

using Json = nlohmann::json;

// Names come from ELF files and sources: bytes that are not UTF-8 must not throw.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

base::KernelFacts read_kernel(const Json& json) {
  base::KernelFacts kernel;
  kernel.lowered_name = json.at("lowered_name").get<std::string>();
  kernel.registers = json.at("registers").get<std::uint32_t>();
  kernel.static_shared_bytes = json.at("static_shared_bytes").get<std::uint32_t>();
  kernel.local_bytes = json.at("local_bytes").get<std::uint32_t>();
  kernel.constant_bytes = json.at("constant_bytes").get<std::uint32_t>();
  kernel.max_threads = json.at("max_threads").get<std::uint32_t>();
  for (const Json& parameter : json.at("parameters")) {
    kernel.parameters.push_back(
        {parameter.at("offset").get<std::uint32_t>(), parameter.at("size").get<std::uint32_t>()});
  }
  return kernel;
}

}  // namespace

std::string kernels_to_json(const std::vector<base::KernelFacts>& kernels) {
  Json list = Json::array();
  for (const base::KernelFacts& kernel : kernels) {
    Json parameters = Json::array();
    for (const base::ParameterFacts& parameter : kernel.parameters) {
      parameters.push_back({{"offset", parameter.offset}, {"size", parameter.size}});
    }
    list.push_back({{"lowered_name", kernel.lowered_name},
                    {"registers", kernel.registers},
                    {"static_shared_bytes", kernel.static_shared_bytes},
                    {"local_bytes", kernel.local_bytes},
                    {"constant_bytes", kernel.constant_bytes},
                    {"max_threads", kernel.max_threads},
                    {"parameters", std::move(parameters)}});
  }
  return dump(list);
}

std::string lowered_names_to_json(const LoweredNames& names) {
  Json list = Json::array();
  for (const auto& [name, symbol] : names) list.push_back({{"name", name}, {"symbol", symbol}});
  return dump(list);
}

std::string files_to_json(const std::vector<SourceFile>& files) {
  Json list = Json::array();
  for (const SourceFile& file : files) {
    list.push_back(
        {{"name", file.name}, {"path", file.path}, {"role", file.role}, {"content", base::to_hex(file.content)}});
  }
  return dump(list);
}

Result<std::vector<base::KernelFacts>> kernels_from_json(std::string_view text) {
  try {
    std::vector<base::KernelFacts> kernels;
    for (const Json& json : Json::parse(text)) kernels.push_back(read_kernel(json));
    return kernels;
  } catch (const Json::exception& exception) {
    return fail(ErrorCode::damaged, fmt::format("column 'kernels' is damaged: {}", exception.what()));
  }
}

Result<LoweredNames> lowered_names_from_json(std::string_view text) {
  try {
    LoweredNames names;
    for (const Json& json : Json::parse(text)) {
      names.emplace_back(json.at("name").get<std::string>(), json.at("symbol").get<std::string>());
    }
    return names;
  } catch (const Json::exception& exception) {
    return fail(ErrorCode::damaged, fmt::format("column 'lowered_names' is damaged: {}", exception.what()));
  }
}

Result<std::vector<SourceFile>> files_from_json(std::string_view text) {
  try {
    std::vector<SourceFile> files;
    for (const Json& json : Json::parse(text)) {
      const auto content = base::digest_from_hex(json.at("content").get<std::string>());
      if (!content) return fail(ErrorCode::damaged, "column 'files' is damaged: a digest is none");
      files.push_back({json.at("name").get<std::string>(), json.at("path").get<std::string>(),
                       json.at("role").get<std::string>(), *content});
    }
    return files;
  } catch (const Json::exception& exception) {
    return fail(ErrorCode::damaged, fmt::format("column 'files' is damaged: {}", exception.what()));
  }
}

}  // namespace cudahot::cache
