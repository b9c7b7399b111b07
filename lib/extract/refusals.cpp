#include "lib/extract/refusals.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "lib/region/code_frame.hpp"

namespace cudahot::extract {
namespace {

constexpr std::array kRules{
    RefusalRule{Refusal::malformed_pragma, "CH001",
                "the pragma is neither begin(NAME) nor end nor end(NAME) nor instantiate(...)",
                "write '#pragma cudahot begin(NAME)', '#pragma cudahot end' or '#pragma cudahot "
                "instantiate(KERNEL<TYPE>)'"},
    RefusalRule{Refusal::never_closed, "CH002", "a region is opened and never closed",
                "add '#pragma cudahot end' after the last statement of the region"},
    RefusalRule{Refusal::end_without_begin, "CH003", "an end has no begin before it",
                "add '#pragma cudahot begin(NAME)' where the region starts, or remove this line"},
    RefusalRule{Refusal::nested, "CH004", "a region begins inside another one",
                "close the first region with '#pragma cudahot end' before this line"},
    RefusalRule{Refusal::duplicate_name, "CH005", "two regions have the same name",
                "give each region a name of its own; a header with a region can be included only once"},
    RefusalRule{Refusal::name_mismatch, "CH006", "end(NAME) names another region than the one that is open",
                "write the name of the open region, or plain end"},
    RefusalRule{Refusal::from_macro, "CH007", "the pragma comes from a macro or from _Pragma",
                "write the #pragma line itself into the function, so that its text can be found and edited"},
    RefusalRule{Refusal::outside_function, "CH008",
                "the region is neither inside a function nor around whole functions",
                "put both pragmas between statements of one __global__ or __device__ function, or around whole "
                "functions outside of classes"},
    RefusalRule{Refusal::different_files, "CH009", "begin and end are in different files",
                "put both pragmas into the same file"},
    RefusalRule{Refusal::inside_statement, "CH010", "the pragma is not between two statements of a block",
                "move the pragma line so that it stands between whole statements inside { }"},
    RefusalRule{Refusal::different_blocks, "CH011", "begin and end are in different blocks",
                "put both pragmas between statements of the same { } block"},
    RefusalRule{Refusal::splits_statement, "CH012", "the pragma stands in the middle of a statement",
                "move the pragma line before or after the whole statement, its ';' included"},
    RefusalRule{Refusal::in_host_function, "CH013", "the region is in a function that runs on the host",
                "only __global__ and __device__ functions can be replaced while the program runs"},
    RefusalRule{Refusal::in_lambda, "CH014", "the region is inside a lambda",
                "put the region around the whole lambda, or move its body to a __device__ function"},
    RefusalRule{Refusal::used_after, "CH015", "a name declared in the region is used after it",
                "declare it before '#pragma cudahot begin' and only assign it in the region"},
    RefusalRule{Refusal::goto_crosses, "CH016", "a goto enters or leaves the region",
                "keep the goto and its label on the same side of the region's edges"},
    RefusalRule{Refusal::asm_goto, "CH017", "the region holds an asm goto", "move the asm statement out of the region"},
    RefusalRule{Refusal::outer_case, "CH018", "the region holds a case label of a switch around it",
                "put the whole switch into the region, or the region inside one case"},
    RefusalRule{Refusal::jump_leaves, "CH019", "a break or continue leaves the region",
                "put the whole loop or switch into the region, or set a flag and test it after the region"},
    RefusalRule{Refusal::include_in_region, "CH020", "the region holds an #include or __has_include",
                "move the directive out of the region"},
    RefusalRule{Refusal::conditional_crosses, "CH021", "an #if reaches over an edge of the region",
                "put the whole #if ... #endif inside or outside of the region"},
    RefusalRule{Refusal::unavailable, "CH022", "a hot kernel needs something that the device compiler cannot have",
                "make it available on the device: mark the function __device__, or move host code out of what it uses"},
    RefusalRule{Refusal::no_kernel, "CH023", "no kernel of the file reaches the region's function",
                "call the function from a __global__ function of this file"},
    RefusalRule{Refusal::not_instantiated, "CH024", "a hot kernel is a template and the file names no instance of it",
                "launch it in this file, or ask for it: '#pragma cudahot instantiate(KERNEL<float>)' behind it"},
    RefusalRule{Refusal::not_on_cpu_device, "CH025", "code for cpu-x86-64 uses what the CPU device does not have",
                "leave cpu-x86-64 out of --arch, and run this kernel on a GPU"},
    RefusalRule{Refusal::not_balanced, "CH026", "a bracket, comment, literal or #if is open where the region ends",
                "close within the region what is opened in it, and nothing else"},
    RefusalRule{Refusal::not_a_function, "CH027", "a region outside of functions holds something else than functions",
                "put only whole __global__ and __device__ functions between the pragmas"},
    RefusalRule{Refusal::bad_instance, "CH028", "instantiate names what cannot be an instance of a kernel",
                "put '#pragma cudahot instantiate(KERNEL<TYPE>)' outside of functions and classes, behind the kernel's "
                "definition"},
    RefusalRule{Refusal::time_of_extraction, "CH029", "device code uses __DATE__, __TIME__ or __TIMESTAMP__",
                "leave it out of device code: each extraction gives another value, and its code is compiled again"},
    RefusalRule{Refusal::counter, "CH030", "device code uses __COUNTER__",
                "use __LINE__ for names that must differ, and numbers of your own for values"},
};

}  // namespace

std::span<const RefusalRule> refusal_rules() { return kRules; }

const RefusalRule& rule_of(Refusal refusal) { return kRules.at(static_cast<std::size_t>(refusal)); }

Diagnostic refuse(Refusal refusal, std::string_view text, std::string_view file, region::TextRange range,
                  std::string message) {
  const RefusalRule& rule = rule_of(refusal);
  return {Severity::error,
          std::string(rule.id),
          region::locate(text, range.begin, file),
          std::move(message),
          region::code_frame(text, range.begin, range.size()),
          std::string(rule.hint)};
}

void prefer_compiler_errors(std::vector<Diagnostic>& diagnostics) {
  constexpr std::array kAboutEdges{Refusal::outside_function, Refusal::inside_statement, Refusal::different_blocks,
                                   Refusal::splits_statement};
  const auto is_about_edges = [&](const Diagnostic& diagnostic) {
    return std::any_of(kAboutEdges.begin(), kAboutEdges.end(),
                       [&](Refusal each) { return rule_of(each).id == diagnostic.id; });
  };
  const auto is_complaint = [](const Diagnostic& diagnostic) {
    return diagnostic.id.empty() && diagnostic.severity != Severity::note;
  };
  std::set<std::string> files;
  for (const Diagnostic& refusal : diagnostics) {
    if (!is_about_edges(refusal)) continue;
    const std::string& file = refusal.location.file;
    if (std::any_of(diagnostics.begin(), diagnostics.end(),
                    [&](const Diagnostic& each) { return is_complaint(each) && each.location.file == file; })) {
      files.insert(file);
    }
  }
  std::erase_if(diagnostics,
                [&](const Diagnostic& each) { return is_about_edges(each) && files.count(each.location.file) != 0; });
  for (Diagnostic& each : diagnostics) {
    if (is_complaint(each) && files.count(each.location.file) != 0) each.severity = Severity::error;
  }
}

}  // namespace cudahot::extract
