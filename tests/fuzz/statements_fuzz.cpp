// Each byte of the input stands for a piece of code. Where the statements reader takes a text for whole statements and
// Clang takes it among others, Clang takes it for the whole body of a function, too: it is not a part of what surrounds
// it, and jumps to nothing there.
#include <algorithm>
#include <array>
#include <memory>

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "lib/region/pragma_lexer.hpp"
#include "lib/region/statements.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace cudahot::fuzz {
namespace {

constexpr std::array<std::string_view, 64> kPieces{"if (a)",
                                                   "else",
                                                   "for (;;)",
                                                   "while (a)",
                                                   "do",
                                                   "while (a);",
                                                   "switch (a)",
                                                   "case 1:",
                                                   "case E::one:",
                                                   "default:",
                                                   "break;",
                                                   "continue;",
                                                   "break",
                                                   "goto out;",
                                                   "goto in;",
                                                   "in:",
                                                   "goto",
                                                   "return;",
                                                   "{",
                                                   "}",
                                                   "<%",
                                                   "%>",
                                                   ";",
                                                   "a = 1;",
                                                   "a =",
                                                   "f(a);",
                                                   "f(a)",
                                                   "(",
                                                   ")",
                                                   "({",
                                                   "})",
                                                   ",",
                                                   "a",
                                                   "b[a]",
                                                   "[",
                                                   "]",
                                                   "int c = 2;",
                                                   "int d{3};",
                                                   "int e[] = {1, 2};",
                                                   "struct S { int m; int g() { return m; } };",
                                                   "struct S {",
                                                   "public:",
                                                   "int h : 3;",
                                                   "enum class F {",
                                                   "auto l = [&](int i) {",
                                                   "auto l = [&]",
                                                   "[[maybe_unused]]",
                                                   "[[likely]]",
                                                   "__attribute__((unused))",
                                                   "\n#pragma unroll\n",
                                                   "_Pragma(\"unroll\")",
                                                   "\n#define M if (a)\n",
                                                   "\n#undef M\n",
                                                   "// comment {\n",
                                                   "/* } */",
                                                   "\"}\";",
                                                   "asm volatile(\"\" : : : \"memory\");",
                                                   "asm goto(\"\" : : : : out);",
                                                   "if constexpr (1)",
                                                   "for (int i : b)",
                                                   "E::one;",
                                                   "a ? 1 : 2;",
                                                   "go\\\nto out;",
                                                   "static_assert(true);"};

std::string decode(const std::uint8_t* data, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.append(kPieces[data[i] % kPieces.size()]).append(" ");
  return text;
}

// A label before '}' is an error.
bool clang_takes(const std::string& text) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile("/a.cpp", 0, llvm::MemoryBuffer::getMemBuffer(text));
  std::vector<const char*> arguments{"-triple",       "x86_64-linux-gnu",         "-x",    "c++", "-std=c++17",
                                     "-fsyntax-only", "-Werror=c++23-extensions", "/a.cpp"};
  clang::DiagnosticOptions options;
  clang::IgnoringDiagConsumer silent;
  const auto diagnostics =
      clang::CompilerInstance::createDiagnostics(*files, options, &silent, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  require(clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *diagnostics), "Clang takes the flags");
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(&silent, /*ShouldOwnClient=*/false);
  clang::SyntaxOnlyAction action;
  return compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
}

constexpr std::string_view kDeclarations = "enum class E { one };\nint b[4];\nint f(int);\n";

}  // namespace

std::vector<std::string> seeds() {
  // Pieces, by their names.
  const auto encode = [](std::initializer_list<std::string_view> pieces) {
    std::string bytes;
    for (const std::string_view each : pieces) {
      const auto* const found = std::find(kPieces.begin(), kPieces.end(), each);
      require(found != kPieces.end(), "a seed is made of pieces");
      bytes += static_cast<char>(found - kPieces.begin());
    }
    return bytes;
  };
  return {encode({"int c = 2;", "if (a)", "{", "a = 1;", "}", "else", "f(a);"}),
          encode({"for (;;)", "{", "if (a)", "break;", "else", "continue;", "}", "in:", "a = 1;"}),
          encode({"switch (a)", "{", "case 1:", "f(a);", "break;", "case E::one:", "default:", ";", "}"}),
          encode({"do", "if (a)", "a = 1;", "while (a);", "\n#pragma unroll\n", "for (;;)", "f(a);"}),
          encode({"auto l = [&](int i) {", "while (a)", "break;", "return;", "}", ";", "[[likely]]", "a = 1;"}),
          encode({"a =", "({", "f(a);", "a", ";", "})", ";", "_Pragma(\"unroll\")", "for (;;)", "{", "}"}),
          encode({"if (a)", "in:", "f(a);", "in:", "goto in;", "asm volatile(\"\" : : : \"memory\");", "break;"}),
          encode({"struct S {", "public:", "int h : 3;", "}", ";", "for (int i : b)", "a ? 1 : 2;"})};
}

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  if (size > 40) return 0;
  const std::string text = fuzz::decode(data, size);
  if (!region::check_balance(text, "a.cu", 1) || !region::are_whole_statements(text)) return 0;
  const std::string declarations(fuzz::kDeclarations);
  const std::string among = declarations + "void k(int a) { for (;;) { switch (a) { default: { " + text +
                            "\n; f(a); } } } goto out; out:; }\n";
  if (!fuzz::clang_takes(among)) return 0;
  const std::string alone = declarations + "void k(int a) { " + text + "\n}\n";
  fuzz::require(fuzz::clang_takes(alone), ("whole statements are whole to Clang: " + text).c_str());
  return 0;
}
