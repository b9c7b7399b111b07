// Slice: a device view with what is needed to compile it, to know when it is out of date and to
// replace the text of its regions. Produced by lib/extract, kept in bundles, used by everyone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/digest.hpp"
#include "lib/region/pragma_lexer.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::region {

// A part of Slice::text. Segments cover the text without gaps, in order. What the quick tier
// compiles is the text with the bodies of `helper` segments replaced by ';'; what it links
// behind is the text with `kernel` segments blanked.
struct Segment {
  enum class Kind {
    prefix,  // includes, types, templates, macros, inline and internal-linkage functions, declarations
    helper,  // definition of a non-template device function with external linkage, or of a device variable, outside
             // regions
    kernel,  // a hot kernel, a function that holds a region, or a function region
  };

  Kind kind = Kind::prefix;
  TextRange range;  // in Slice::text
  // helper function: offset of the '{' of its body; helper defined outside of the class that
  // declares it: range.begin; else range.end.
  std::size_t declaration_end = 0;
  std::string name;  // helper, kernel: qualified name

  friend bool operator==(const Segment&, const Segment&) = default;
};

struct Variable {
  std::string name;
  std::string type;  // as written by the user's compiler, e.g. "float4"

  friend bool operator==(const Variable&, const Variable&) = default;
};

struct Region {
  enum class Kind {
    statements,  // whole statements of a block
    functions,   // whole functions at namespace scope
  };

  Kind kind = Kind::statements;
  std::string name;
  std::string function;            // qualified name of the function it lies in; for function regions the first function
  std::uint32_t file = 0;          // index into Slice::files
  std::uint32_t first_line = 0;    // line of the first body line in that file
  TextRange body;                  // in Slice::text: raw text between the pragma lines
  std::vector<Variable> in;        // outer locals and parameters that the region reads or writes
  std::vector<Variable> out;       // of these, perhaps changed in the region and used after it
  std::vector<Variable> declared;  // declared in the region; of a function region its functions and their types

  friend bool operator==(const Region&, const Region&) = default;
};

struct KernelParameter {
  std::string name;
  std::string type;
  std::uint32_t size = 0;    // bytes
  std::uint32_t offset = 0;  // bytes in the parameter block
  // What the bytes mean: the canonical type, of the user's classes with their members, "pointer" for every pointer.
  // Empty: not known.
  std::string canonical{};

  friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

struct Kernel {
  std::string name;             // qualified source name: "UpdateSurface", "scene::shade"
  std::string name_expression;  // for nvrtcAddNameExpression; empty when extern "C"
  std::string mangled_name;     // as Clang mangles it for the device (the host's mangling for nvcc)
  std::uint32_t file = 0;       // index into Slice::files
  std::uint32_t line = 0;
  std::vector<std::string> regions;  // names of the regions that make it hot
  std::vector<KernelParameter> parameters;

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

struct FileRecord {
  enum class Role {
    main,            // the .cu given to cudahot-extract
    user_header,     // inlined into the text
    device_header,   // stays an #include: read by the device compiler
    device_runtime,  // the toolkit's libcudadevrt.a, which what is compiled has to be linked with
    other,           // read by Clang only (host and system headers)
  };

  std::string path;          // as the user opened it, made absolute
  std::string virtual_name;  // what `#line` in Slice::text says: free of absolute paths unless they reach the output
  Role role = Role::other;
  base::Digest content;          // of the normalised text; of the bytes of what is no text
  base::Digest outside_regions;  // of the normalised text with region bodies removed; = content without regions

  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

std::string_view to_string(FileRecord::Role role);  // "main", "user_header", ... as manifests write it

// Where an #include or a __has_include looked: a file or folder that appears or goes there changes what is read.
struct Lookup {
  std::string path;    // absolute
  bool found = false;  // whether something was there

  friend bool operator==(const Lookup&, const Lookup&) = default;
};

struct Slice {
  std::string text;  // device view, UTF-8, '\n' line ends
  std::vector<Segment> segments;
  std::vector<Region> regions;        // ordered by body.begin
  std::vector<Kernel> kernels;        // hot kernels
  std::vector<FileRecord> files;      // files[0] is the main file
  std::vector<Lookup> lookups;        // in the user's folders, ordered by path
  std::vector<std::string> options;   // NVRTC options that the user's flags ask for, in order
  std::vector<SmArch> architectures;  // asked for at extraction
  bool uses_device_headers = false;   // the text includes headers of the toolkit
  bool uses_helper_library = false;   // the text names a function of kernels/
  // How to make it again: arguments of cudahot-extract after the file name, and where.
  std::vector<std::string> extract_arguments;
  std::string working_directory;

  friend bool operator==(const Slice&, const Slice&) = default;
};

// What of a slice a program needs to run its kernels as they were built.
struct SliceHead {
  std::string source;  // path of the main file
  std::vector<Kernel> kernels;
  std::vector<SmArch> architectures;

  friend bool operator==(const SliceHead&, const SliceHead&) = default;
};

SliceHead head_of(const Slice& slice);

// By its qualified name; nullptr: there is none.
const Kernel* find_kernel(const std::vector<Kernel>& kernels, std::string_view name);

// files[0]; a slice always has one.
const FileRecord& main_file(const Slice& slice);

// The library of CUDA's device runtime, where the slice launches kernels from device code or calls one of its
// functions; else null.
const FileRecord* device_runtime(const Slice& slice);

}  // namespace cudahot::region
