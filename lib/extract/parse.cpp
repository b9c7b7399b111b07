#include "lib/extract/parse.hpp"

#include <charconv>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Driver/CreateInvocationFromArgs.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <fmt/format.h>
#include <llvm/Support/thread.h>

#include "lib/extract/clang_diagnostics.hpp"
#include "lib/extract/gap_header.hpp"
#include "lib/extract/instances.hpp"
#include "lib/extract/kernels.hpp"
#include "lib/extract/lookups.hpp"
#include "lib/extract/normalising_files.hpp"
#include "lib/extract/record.hpp"
#include "lib/extract/references.hpp"
#include "lib/extract/regions.hpp"
#include "lib/extract/units.hpp"

namespace cudahot::extract {
namespace {

std::string clang_architecture(const region::SmArch& arch) {
  // Clang knows no family-specific targets; for parsing the plain one has the same declarations.
  const bool specific = arch.suffix == region::SmArch::Suffix::architecture;
  return fmt::format("sm_{}{}", arch.number, specific ? "a" : "");
}

// Of the newest gcc: what nvcc's host compiler has and Clang does not, such as omp.h.
std::string gcc_include_folder() {
  namespace fs = std::filesystem;
  std::string newest;
  int version = 0;
  std::error_code error;
  using Iterator = fs::directory_iterator;
  for (Iterator triple("/usr/lib/gcc", error); triple != Iterator(); triple.increment(error)) {
    for (Iterator each(triple->path(), error); each != Iterator(); each.increment(error)) {
      const std::string name = each->path().filename().string();
      int found = 0;
      const auto number = std::from_chars(name.data(), name.data() + name.size(), found);
      if (number.ec != std::errc() || number.ptr != name.data() + name.size() || found <= version) continue;
      if (!fs::is_directory(each->path() / "include", error)) continue;
      version = found;
      newest = (each->path() / "include").string();
    }
  }
  return newest;
}

std::vector<std::string> command_line(const ParseRequest& request) {
  std::vector<std::string> line{
      "/usr/bin/clang++", "-x", "cuda", "--cuda-device-only", "-fsyntax-only", "-nogpulib",
      "--cuda-gpu-arch=" + clang_architecture(request.architecture), fmt::format("--cuda-path={}", kToolkitPath),
      "-resource-dir", request.resource_dir, "-Wno-unknown-cuda-version", "-Wno-register", "-ferror-limit=0",
      // Clang 22 knows toolkits up to 12.9; its 13.0 headers need no more.
      "-Xclang", "-target-sdk-version=12.9", "-D__NVCC__", fmt::format("-D__CUDACC_VER_MAJOR__={}", request.cuda_major),
      fmt::format("-D__CUDACC_VER_MINOR__={}", request.cuda_minor), "-D__CUDACC_VER_BUILD__=88", "-D__CUDAHOT__=1",
      // Clang insists on a layout that not every toolkit has, looks into it last, and may find another one's headers in
      // /usr/include before: what it believes to be the toolkit is a stand-in.
      "-isystem", request.cuda_include + "/cccl", "-isystem", request.cuda_include, "-include",
      std::string(kGapHeaderPath)};
  line.insert(line.end(), request.clang_flags.begin(), request.clang_flags.end());
  if (const std::string gcc = gcc_include_folder(); !gcc.empty()) line.insert(line.end(), {"-idirafter", gcc});
  line.emplace_back("--");
  line.push_back(request.file);
  return line;
}

// Whether `template` stands before a `__global__` of the same declaration.
bool has_template_kernel(std::string_view text) {
  constexpr std::string_view kKernel = "__global__";
  for (std::size_t at = text.find(kKernel); at != std::string_view::npos; at = text.find(kKernel, at + 1)) {
    const std::size_t before = text.find_last_of(";{}", at);
    const std::size_t begin = before == std::string_view::npos ? 0 : before;
    if (text.substr(begin, at - begin).find("template") != std::string_view::npos) return true;
  }
  return false;
}

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, const DiagnosticCollector& diagnostics, SourceMap& sources,
           ParsedSource& source)
      : compiler_(compiler), diagnostics_(diagnostics), sources_(sources), source_(source) {}

  // Bodies of host functions matter only for the template kernels that they instantiate: perhaps of a kernel that is
  // only declared as yet, or through a host template that knows none.
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    const clang::Decl* const function = described(declaration);
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function != declaration) template_kernel_seen_ = true;
    if (!sources_.in_user_file(function->getLocation())) return true;
    return is_host_only(function) && !may_see_template_kernel();
  }

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    if (diagnostics_.has_fatal_error()) return;
    AstSession session{ast, sources_, source_};
    check_instances(session);
    const UnitTable units = collect_units(session);
    collect_references(session, units);
    find_regions(session, units);
    find_kernels(session, units);
    collect_host_macros(compiler_.getPreprocessor(), sources_, source_);
  }

 private:
  bool may_see_template_kernel() {
    for (; buffers_searched_ < source_.buffers.size() && !template_kernel_seen_; ++buffers_searched_) {
      template_kernel_seen_ = has_template_kernel(source_.buffers[buffers_searched_].text);
    }
    return template_kernel_seen_;
  }

  clang::CompilerInstance& compiler_;
  const DiagnosticCollector& diagnostics_;
  SourceMap& sources_;
  ParsedSource& source_;
  std::size_t buffers_searched_ = 0;
  bool template_kernel_seen_ = false;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(const ParseRequest& request, const FileOwners& owners, const DiagnosticCollector& diagnostics,
         ParsedSource& source)
      : request_(request), owners_(owners), diagnostics_(diagnostics), source_(source) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    const clang::SourceManager& manager = compiler.getSourceManager();
    sources_ = std::make_unique<SourceMap>(manager, owners_, request_.working_directory, source_);
    sources_->buffer(manager.getMainFileID());  // comes first in the model
    record_into(compiler.getPreprocessor(), *sources_, source_);
    return std::make_unique<Consumer>(compiler, diagnostics_, *sources_, source_);
  }

  // Every file that was read, whoever's it is.
  void EndSourceFileAction() override {
    const clang::SourceManager& manager = getCompilerInstance().getSourceManager();
    for (auto entry = manager.fileinfo_begin(); entry != manager.fileinfo_end(); ++entry) {
      const auto text = entry->second->getBufferIfLoaded();
      if (!text) continue;
      const FileIndex file = sources_->file(entry->first);
      source_.files[file].content = base::digest({text->getBufferStart(), text->getBufferSize()});
    }
  }

 private:
  const ParseRequest& request_;
  const FileOwners& owners_;
  const DiagnosticCollector& diagnostics_;
  ParsedSource& source_;
  std::unique_ptr<SourceMap> sources_;
};

// Nested code is walked by recursion, Clang's and ours. What is not used of it costs nothing.
constexpr unsigned kStackBytes = 256U << 20;

std::string first_error(const clang::TextDiagnosticBuffer& buffer) {
  return buffer.err_begin() == buffer.err_end() ? "no reason given" : buffer.err_begin()->second;
}

}  // namespace

Result<ParsedSource> parse(const ParseRequest& request, const FileOwners& owners) {
  std::set<std::string> missing;
  const auto files = normalising_file_system(request.working_directory, owners,
                                             request.cuda_major * 1000 + request.cuda_minor * 10, missing);
  const std::vector<std::string> line = command_line(request);
  std::vector<const char*> arguments;
  for (const std::string& argument : line) arguments.push_back(argument.c_str());

  clang::TextDiagnosticBuffer driver_messages;
  clang::DiagnosticOptions driver_options;
  clang::CreateInvocationOptions options;
  options.VFS = files;
  options.Diags = clang::CompilerInstance::createDiagnostics(*files, driver_options, &driver_messages,
                                                             /*ShouldOwnClient=*/false);
  std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(arguments, options);
  if (!invocation) {
    return fail(ErrorCode::usage,
                fmt::format("Clang refuses the flags for {}: {}", request.file, first_error(driver_messages)));
  }
  invocation->getFrontendOpts().ProgramAction = clang::frontend::ParseSyntaxOnly;
  invocation->getFrontendOpts().SkipFunctionBodies = true;

  ParsedSource source;
  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(files);
  DiagnosticCollector collector(compiler, source.diagnostics);
  compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  compiler.createFileManager();
  Action action(request, owners, collector, source);
  missing.clear();  // the driver looked for compilers
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] { compiler.ExecuteAction(action); });
  worker.join();
  source.lookups = make_lookups(missing, source, owners, request.clang_flags, request.working_directory);
  source.usable = !source.buffers.empty() && !collector.has_errors();
  return source;
}

}  // namespace cudahot::extract
