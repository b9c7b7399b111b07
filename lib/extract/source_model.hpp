// What extraction knows about a source once Clang has read it: plain records, no Clang types.
// Filled by the stages that see the AST and the preprocessor, used by those that do not.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/digest.hpp"
#include "lib/region/pragma_lexer.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::extract {

using BufferIndex = std::uint32_t;  // into ParsedSource::buffers
using FileIndex = std::uint32_t;    // into ParsedSource::files
using UnitIndex = std::uint32_t;    // into ParsedSource::units
using UnitSet = std::set<UnitIndex>;

// Whose a file is.
enum class FileOwner : std::uint8_t {
  user,      // inlined into the device view
  toolkit,   // stays an #include where the device compiler can read it
  compiler,  // Clang's own headers and our gap header
  host,      // C and C++ library of the host
};

struct SourceFile {
  std::string path;   // absolute, as opened
  std::string shown;  // as the user or an #include named it, for messages
  FileOwner owner = FileOwner::host;
  base::Digest content;
};

// One reading of a user file: a file that is included twice has two buffers.
struct SourceBuffer {
  FileIndex file = 0;
  std::string text;  // normalised
};

struct Place {
  BufferIndex buffer = 0;
  std::size_t offset = 0;
};

struct Span {
  BufferIndex buffer = 0;
  region::TextRange range;
};

struct RecordedPragma {
  Place place;            // of the '#', or of what expanded to _Pragma
  bool directive = true;  // false: from _Pragma
};

struct RecordedInclude {
  std::optional<Place> place;  // of the '#'; none: from a -include flag
  FileIndex file = 0;
  std::string name;                    // as written
  std::optional<BufferIndex> entered;  // a user file was read here
};

struct RecordedConditional {
  enum class Kind : std::uint8_t { open, middle, close };
  Place place;
  Kind kind = Kind::open;
};

// What `#pragma cudahot instantiate(...)` asks for.
struct RecordedInstance {
  Place pragma;  // of the '#'
  std::string name;
};

// A macro of a host header (or predefined and named __FILE__) used in user text.
struct RecordedMacroUse {
  Place place;
  std::string name;
};

// In the order in which the preprocessor met them.
struct RecordedSource {
  std::vector<RecordedPragma> pragmas;
  std::vector<RecordedInstance> instances;
  std::vector<RecordedInclude> includes;
  std::vector<RecordedConditional> conditionals;
  std::vector<Span> skipped;  // by conditionals, from the opening directive to the closing one
  std::vector<RecordedMacroUse> macro_uses;
  std::set<std::string> looked_for;  // names of #include and __has_include, as written, and of -include flags
  std::set<FileIndex> asked_for;     // that a __has_include found
};

// What code uses of CUDA's device runtime: launches from device code, cudaMalloc() there, and the like.
enum class DeviceRuntime : std::uint8_t {
  none,
  declarations,  // only inline functions of its header
  library,       // what has to be linked
};

// In the device view `_Ch<bytes, alignment>` stands for the type of a data member that the device lacks, and `_Cp` for
// one that is plain old data: members of derived classes begin in the tail padding of a class unless it is that too.
inline constexpr std::string_view kOpaque = "_Ch";
inline constexpr std::string_view kOpaquePlain = "_Cp";

// A declaration of the user's that stays or goes as a whole.
struct Unit {
  enum class Part : std::uint8_t {
    everywhere,  // both halves of the quick tier need it, and may have it twice
    helper,      // compiled once, behind the kernels
    kernel,      // compiled with the kernels only
  };

  std::string name;
  Span span;
  std::optional<UnitIndex> parent;  // the class it is a member of
  bool host_only = false;
  bool kernel = false;   // a __global__ function
  bool record = false;   // a class, struct or union
  bool special = false;  // a member whose declaration stays where its body cannot: a constructor, a destructor
  bool data_member = false;
  bool for_host_type = false;  // a specialisation that device code cannot name
  std::string unavailable;     // what it uses that no device compiler has; empty: nothing
  DeviceRuntime device_runtime = DeviceRuntime::none;
  Part part = Part::everywhere;
  std::optional<std::size_t> body_begin;     // helper function: offset of what ';' replaces in a declaration
  std::string stand_in;                      // record, data member: what stands for it when it is dropped
  std::optional<std::size_t> signature_end;  // host-only special member with a body
  std::vector<UnitIndex> signature_needs;    // host-only special member: what its types cannot do without
  bool signature_unavailable = false;        // host-only special member: no device compiler has its types
  std::vector<UnitIndex> needs;              // cannot be compiled without
  std::vector<std::vector<UnitIndex>> needs_one_of;
  std::vector<UnitIndex> reaches;         // uses in its instances, for finding hot kernels
  std::vector<UnitIndex> redeclarations;  // other declarations of the same function
};

struct FoundRegion {
  std::string name;
  region::Region::Kind kind = region::Region::Kind::statements;
  Span body;                     // between the pragma lines
  region::TextRange begin_line;  // whole lines, newline included
  region::TextRange end_line;
  std::uint32_t first_line = 0;  // of the body
  std::string function;          // that it lies in, or the first that it holds
  std::vector<UnitIndex> units;  // top-level: of the function that it lies in, or of those that it holds
  std::vector<region::Variable> in;
  std::vector<region::Variable> out;
  std::vector<region::Variable> declared;
};

// A kernel that can be launched: a function, or an instance of a template.
struct FoundKernel {
  UnitIndex unit = 0;
  std::string name;
  std::string name_expression;
  std::string mangled_name;
  Place place;
  std::vector<region::KernelParameter> parameters;
};

struct TemplateKernel {  // without an instance that has a name
  UnitIndex unit = 0;
  std::string name;
  bool instantiated = false;  // for types without a name
  Place place;
};

struct HostTypedef {
  std::string name;
  std::string type;

  friend auto operator<=>(const HostTypedef&, const HostTypedef&) = default;
};

struct HostMacro {
  std::string name;
  std::string definition;          // "#define M_PI 3.14159265358979323846"
  std::vector<std::string> needs;  // other host macros in its text
};

struct ParsedSource {
  std::vector<SourceFile> files;      // [0] is the main file
  std::vector<SourceBuffer> buffers;  // [0] is the main file
  RecordedSource recorded;
  std::vector<region::Lookup> lookups;
  std::vector<Unit> units;
  std::vector<FoundRegion> regions;
  std::vector<FoundKernel> kernels;
  std::vector<TemplateKernel> uninstantiated;
  std::vector<HostTypedef> host_typedefs;
  std::vector<HostMacro> host_macros;
  std::set<std::string> std_headers;  // of the device's standard library, that declare what is used
  bool uses_helper_library = false;
  std::vector<Diagnostic> diagnostics;
  bool usable = false;  // Clang made sense of it, outside of device code at least
};

// Where diagnostics about `place` point.
inline const std::string& shown_file(const ParsedSource& source, BufferIndex buffer) {
  return source.files[source.buffers[buffer].file].shown;
}

}  // namespace cudahot::extract
