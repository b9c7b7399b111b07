#include "lib/cpu_device/code/host_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "lib/cpu_device/code/declarations.hpp"
#include "lib/cpu_device/code/object_file.hpp"
#include "lib/region/raw_scanner.hpp"
#include "lib/region/time_macros.hpp"

namespace cudahot::cpu_device {
namespace {

struct Edit {
  region::TextRange range;
  std::string text;
};

std::string with_edits(std::string_view text, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.range.begin; });
  std::string result;
  std::size_t done = 0;
  for (const auto& edit : edits) {
    if (edit.range.begin < done) continue;  // two declarators share their `extern __shared__`
    result.append(text.substr(done, edit.range.begin - done));
    result.append(edit.text);
    done = edit.range.end;
  }
  result.append(text.substr(done));
  return result;
}

std::string_view at(std::string_view text, const region::TextRange& range) {
  return text.substr(range.begin, range.size());
}

// `extern __shared__ T name[];` becomes a pointer to what the launch asked for: in a function a local one, at
// namespace scope one that every kernel sets when it starts.
void edit_dynamic_shared(std::string_view text, const Declarations& declarations, std::vector<Edit>& edits) {
  std::set<std::string> known;
  std::size_t count = 0;
  std::string setters;
  const std::string dynamic_pointer =
      fmt::format("static __shared__ __attribute__((section(\"{}\")))", kDynamicPointerSection);
  for (const auto& array : declarations.dynamic_shared) {
    const std::string name(at(text, array.name));
    if (array.at_namespace_scope && !known.insert(qualified(array.scope, name)).second) {
      // Declared again: in C++ it would be a second variable.
      const region::TextRange all{array.extern_word.begin, array.declarator_end};
      edits.push_back({all, std::string(static_cast<std::size_t>(std::ranges::count(at(text, all), '\n')), '\n')});
      continue;
    }
    edits.push_back({array.extern_word, ""});
    edits.push_back({array.shared_word, array.at_namespace_scope ? dynamic_pointer : ""});
    edits.push_back({array.name, "(*" + name});
    edits.push_back({array.empty_brackets, ")"});
    const std::size_t end = array.declarator_end;
    if (!array.at_namespace_scope) {
      edits.push_back({{end, end}, " = cudahot_cpu::DynamicShared()"});
      continue;
    }
    setters += fmt::format(
        " static cudahot_cpu::DynamicSharedName cudahot_cpu_shared_{0}([](void* memory) {{ {1} = "
        "static_cast<decltype({1})>(memory); }});",
        count++, name);
    if (text[end] == ';') edits.push_back({{end + 1, end + 1}, std::exchange(setters, {})});
  }
}

void edit_shared_alignas(std::string_view text, const Declarations& declarations, std::vector<Edit>& edits) {
  for (const auto& shared : declarations.shared_alignas) {
    edits.push_back({shared.shared_word, std::string(at(text, shared.alignas_clause))});
    edits.push_back({shared.alignas_clause, "__shared__"});
  }
}

// Directives stay: they may define what others use.
std::string without_statements(std::string_view body) {
  std::string result(body.size(), ' ');
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\n') result[i] = '\n';
  }
  region::RawScanner scanner(body);
  while (const auto token = scanner.next()) {
    if (token->kind != region::RawToken::Kind::directive) continue;
    const auto begin = static_cast<std::ptrdiff_t>(token->range.begin);
    std::ranges::copy(at(body, token->range), result.begin() + begin);
  }
  return "{ __builtin_trap();" + result.substr(1, result.size() - 2) + "}";
}

std::string without_anonymous(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t place; (place = name.find(kAnonymous)) != std::string::npos;) name.erase(place, kAnonymous.size());
  return name;
}

std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// The kernel as an expression. Of kernels that share a name each is told by its parameters.
std::string kernel_expression(const region::Slice& slice, const region::Kernel& kernel) {
  const std::string name = without_anonymous(kernel.name_expression.empty() ? kernel.name : kernel.name_expression);
  const auto same = std::ranges::count_if(slice.kernels, [&](const region::Kernel& other) {
    return other.name == kernel.name && other.name_expression == kernel.name_expression;
  });
  if (same < 2) return "&" + name;
  std::string types;
  for (const auto& parameter : kernel.parameters) types += (types.empty() ? "" : ", ") + parameter.type;
  return fmt::format("static_cast<void (*)({})>(&{})", types, name);
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Written into the kernel's own namespace, where the names of its launch bounds are known.
std::string max_threads(const region::Kernel& kernel, std::size_t index, const Declarations& declarations,
                        std::string& definitions) {
  const std::string name = without_anonymous(kernel.name);
  for (const auto& bound : declarations.launch_bounds) {
    if (qualified(bound.scope, bound.kernel) != "::" + name) continue;
    if (is_number(bound.max_threads)) return bound.max_threads;
    if (kernel.name_expression.ends_with('>')) return "0";  // may depend on the template's arguments
    std::string open;
    std::string close;
    for (const auto& part : bound.scope) {
      open += part.empty() ? "namespace { " : fmt::format("namespace {} {{ ", part);
      close += " }";
    }
    const std::string constant = fmt::format("cudahot_cpu_bound_{}", index);
    definitions += fmt::format("{}constexpr unsigned int {} = ({});{}\n", open, constant, bound.max_threads, close);
    return qualified(bound.scope, constant);
  }
  return "0";
}

std::string kernel_table(const region::Slice& slice, const Declarations& declarations) {
  std::string definitions;
  std::string rows;
  for (std::size_t i = 0; i < slice.kernels.size(); ++i) {
    const auto& kernel = slice.kernels[i];
    const std::string expression = kernel_expression(slice, kernel);
    const std::string bound = max_threads(kernel, i, declarations, definitions);
    definitions += fmt::format("using cudahot_cpu_entry_{} = cudahot_cpu::Entry<{}>;\n", i, expression);
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
      const auto& parameter = kernel.parameters[p];
      definitions +=
          fmt::format("static_assert(cudahot_cpu_entry_{0}::has_parameter({1}, {2}, {3}), {4});\n", i, p,
                      parameter.offset, parameter.size,
                      c_string(fmt::format("parameter {} of {} is not what it was extracted as", p + 1, kernel.name)));
    }
    rows += fmt::format(
        "  {{{0}, cudahot_cpu_entry_{1}::run, cudahot_cpu_entry_{1}::block.parameters, "
        "cudahot_cpu_entry_{1}::parameter_count, {2}, 0}},\n",
        c_string(lowered_name(kernel)), i, bound);
  }
  return definitions + "extern \"C\" const CudahotCpuKernel cudahot_cpu_kernels[] = {\n" + rows + "  {}};\n";
}

std::string_view space_name(DeviceVariable::Space space) {
  switch (space) {
    case DeviceVariable::Space::global:
      return "CUDAHOT_CPU_GLOBAL";
    case DeviceVariable::Space::constant:
      return "CUDAHOT_CPU_CONSTANT";
    case DeviceVariable::Space::managed:
      return "CUDAHOT_CPU_MANAGED";
  }
  return "";
}

std::string variable_table(const Declarations& declarations) {
  std::string rows;
  for (const auto& variable : declarations.variables) {
    const std::string name = qualified(variable.scope, variable.name);
    rows += fmt::format("  {{{0}, (void*)&{1}, sizeof({1}), {2}}},\n", c_string(mangle(variable)), name,
                        space_name(variable.space));
  }
  return "static const CudahotCpuVariable cudahot_cpu_variables[] = {\n" + rows + "  {}};\n";
}

}  // namespace

std::string lowered_name(const region::Kernel& kernel) {
  return kernel.mangled_name.empty() ? kernel.name : kernel.mangled_name;
}

std::string host_source(const region::Slice& slice, const std::vector<region::TextRange>& unused) {
  const Declarations declarations = find_declarations(slice.text);
  std::vector<Edit> edits;
  for (const auto& body : unused) edits.push_back({body, without_statements(at(slice.text, body))});
  edit_dynamic_shared(slice.text, declarations, edits);
  edit_shared_alignas(slice.text, declarations, edits);
  std::string source;
  if (!slice.files.empty()) source += fmt::format("#line 1 {}\n", c_string(slice.files.front().virtual_name));
  source += region::with_time_stand_ins(with_edits(slice.text, std::move(edits)));
  source += "\n#line 1 \"<cudahot kernel table>\"\n";
  source += kernel_table(slice, declarations);
  source += variable_table(declarations);
  source += fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"), used)) const CudahotCpuModule cudahot_cpu_module = {{\n"
      "  CUDAHOT_CPU_ABI_VERSION, &cudahot_cpu::services, cudahot_cpu_kernels, {}, cudahot_cpu_variables, {}}};\n",
      slice.kernels.size(), declarations.variables.size());
  return source;
}

}  // namespace cudahot::cpu_device
