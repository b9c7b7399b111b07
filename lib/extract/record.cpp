#include "lib/extract/record.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Pragma.h>

#include "lib/extract/instances.hpp"

namespace cudahot::extract {
namespace {

using clang::SourceLocation;
using clang::Token;

class RegionPragmaHandler : public clang::PragmaHandler {
 public:
  RegionPragmaHandler(SourceMap& sources, RecordedSource& recorded)
      : PragmaHandler("cudahot"), sources_(sources), recorded_(recorded) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer, Token& token) override {
    const bool directive = introducer.Kind == clang::PIK_HashPragma && introducer.Loc.isFileID();
    const auto place = sources_.place(introducer.Loc);
    if (place) recorded_.pragmas.push_back({*place, directive});
    std::vector<Token> rest;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eod) && token.isNot(clang::tok::eof);
         preprocessor.Lex(token)) {
      rest.push_back(token);
    }
    if (place && directive) request(preprocessor, *place, rest);
  }

 private:
  void request(clang::Preprocessor& preprocessor, const Place& pragma, const std::vector<Token>& rest) {
    const bool whole = rest.size() > 3 && rest[0].is(clang::tok::identifier) &&
                       rest[0].getIdentifierInfo()->isStr("instantiate") && rest[1].is(clang::tok::l_paren) &&
                       rest.back().is(clang::tok::r_paren);
    if (whole) request_instances(preprocessor, pragma, {rest.begin() + 2, rest.end() - 1}, recorded_);
  }

  SourceMap& sources_;
  RecordedSource& recorded_;
};

class Recorder : public clang::PPCallbacks {
 public:
  Recorder(SourceMap& sources, ParsedSource& source) : sources_(sources), source_(source) {}

  void InclusionDirective(SourceLocation hash, const Token&, llvm::StringRef name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef entry, llvm::StringRef, llvm::StringRef, const clang::Module*,
                          bool, clang::SrcMgr::CharacteristicKind) override {
    const clang::FileID from = sources_.manager().getDecomposedExpansionLoc(hash).first;
    const auto place = sources_.place(hash);
    if (!place && sources_.file(from)) return;
    if (!entry) {
      source_.recorded.looked_for.insert(name.str());
      return;
    }
    const FileIndex file = sources_.file(*entry);
    if (source_.files[file].owner != FileOwner::compiler) source_.recorded.looked_for.insert(name.str());
    source_.recorded.includes.push_back({place, file, name.str(), std::nullopt});
    last_include_ = hash;
  }

  void HasInclude(SourceLocation at, llvm::StringRef name, bool, clang::OptionalFileEntryRef found,
                  clang::SrcMgr::CharacteristicKind) override {
    if (!sources_.in_user_file(at)) return;
    source_.recorded.looked_for.insert(name.str());
    if (found) source_.recorded.asked_for.insert(sources_.file(*found));
  }

  void FileChanged(SourceLocation location, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    if (reason != EnterFile) return;
    const clang::FileID entered = sources_.manager().getFileID(location);
    const SourceLocation from = sources_.manager().getIncludeLoc(entered);
    const auto buffer = sources_.buffer(entered);
    if (!buffer || from.isInvalid() || last_include_.isInvalid() || source_.recorded.includes.empty()) return;
    if (sources_.manager().getFileID(from) == sources_.manager().getFileID(last_include_)) {
      source_.recorded.includes.back().entered = buffer;
    }
  }

  void If(SourceLocation at, clang::SourceRange, ConditionValueKind) override { conditional(at, Kind::open); }
  void Ifdef(SourceLocation at, const Token&, const clang::MacroDefinition&) override { conditional(at, Kind::open); }
  void Ifndef(SourceLocation at, const Token&, const clang::MacroDefinition&) override { conditional(at, Kind::open); }
  void Elif(SourceLocation at, clang::SourceRange, ConditionValueKind, SourceLocation) override {
    conditional(at, Kind::middle);
  }
  using PPCallbacks::Elifdef;
  using PPCallbacks::Elifndef;
  void Elifdef(SourceLocation at, const Token&, const clang::MacroDefinition&) override {
    conditional(at, Kind::middle);
  }
  void Elifdef(SourceLocation at, clang::SourceRange, SourceLocation) override { conditional(at, Kind::middle); }
  void Elifndef(SourceLocation at, const Token&, const clang::MacroDefinition&) override {
    conditional(at, Kind::middle);
  }
  void Elifndef(SourceLocation at, clang::SourceRange, SourceLocation) override { conditional(at, Kind::middle); }
  void Else(SourceLocation at, SourceLocation) override { conditional(at, Kind::middle); }
  void Endif(SourceLocation at, SourceLocation) override { conditional(at, Kind::close); }

  void SourceRangeSkipped(clang::SourceRange range, SourceLocation) override {
    const auto begin = sources_.place(range.getBegin());
    const auto end = sources_.place(range.getEnd());
    if (begin && end && begin->buffer == end->buffer) {
      source_.recorded.skipped.push_back({begin->buffer, {begin->offset, end->offset}});
    }
  }

  void MacroExpands(const Token& name, const clang::MacroDefinition& definition, clang::SourceRange,
                    const clang::MacroArgs*) override {
    const auto place = sources_.place(name.getLocation());
    if (!place) return;
    const clang::MacroInfo* const macro = definition.getMacroInfo();
    if (macro == nullptr || sources_.in_user_file(macro->getDefinitionLoc())) return;
    source_.recorded.macro_uses.push_back({*place, name.getIdentifierInfo()->getName().str()});
  }

 private:
  using Kind = RecordedConditional::Kind;

  void conditional(SourceLocation at, Kind kind) {
    if (const auto place = sources_.place(at)) source_.recorded.conditionals.push_back({*place, kind});
  }

  SourceMap& sources_;
  ParsedSource& source_;
  SourceLocation last_include_;
};

std::string definition_text(const clang::MacroInfo& macro, const std::string& name,
                            const clang::Preprocessor& preprocessor) {
  std::string text = "#define " + name;
  if (macro.isFunctionLike()) {
    text += '(';
    bool first = true;
    for (const clang::IdentifierInfo* parameter : macro.params()) {
      if (!first) text += ", ";
      first = false;
      const bool variadic = parameter->isStr("__VA_ARGS__");
      text += variadic ? "..." : parameter->getName().str();
    }
    if (macro.isGNUVarargs()) text += "...";
    text += ')';
  }
  bool first = true;
  for (const Token& token : macro.tokens()) {
    if (first || token.hasLeadingSpace()) text += ' ';
    first = false;
    text += preprocessor.getSpelling(token);
  }
  return text;
}

class HostMacros {
 public:
  HostMacros(clang::Preprocessor& preprocessor, SourceMap& sources, ParsedSource& source)
      : preprocessor_(preprocessor), sources_(sources), source_(source) {}

  void use(const std::string& name) {
    const clang::MacroInfo* const macro = find(name);
    if (macro != nullptr && wanted(name, *macro)) add(name, *macro);
  }

  // Text of a user macro may be used by the next edit, wherever it is used now.
  void use_all_in_user_macros() {
    std::vector<std::pair<Place, const clang::MacroInfo*>> users;
    for (const auto& [identifier, state] : preprocessor_.macros()) {
      const clang::MacroInfo* const macro = find(identifier->getName().str());
      if (macro == nullptr) continue;
      if (const auto place = sources_.place(macro->getDefinitionLoc())) users.emplace_back(*place, macro);
    }
    for (const auto& [place, macro] : users) {
      for (const Token& token : macro->tokens()) {
        if (const clang::IdentifierInfo* word = token.getIdentifierInfo()) {
          const std::string name = word->getName().str();
          const clang::MacroInfo* const used = find(name);
          if (used == nullptr || sources_.in_user_file(used->getDefinitionLoc()) || !wanted(name, *used)) continue;
          source_.recorded.macro_uses.push_back({place, name});
        }
      }
    }
  }

 private:
  const clang::MacroInfo* find(const std::string& name) {
    return preprocessor_.getMacroInfo(preprocessor_.getIdentifierInfo(name));
  }

  // Whether the device compiler lacks it: not what it or its headers define.
  bool wanted(const std::string& name, const clang::MacroInfo& macro) {
    static const std::set<std::string> kBuiltIn{"assert", "NULL", "offsetof"};
    if (macro.isBuiltinMacro() || kBuiltIn.count(name) != 0 || name.rfind("__", 0) == 0) return false;
    const auto file = sources_.file_of(macro.getDefinitionLoc());
    if (!file) return false;
    const SourceFile& record = source_.files[*file];
    if (record.owner == FileOwner::toolkit) return false;
    const auto in_path = [&](std::string_view part) { return record.path.find(part) != std::string::npos; };
    return record.owner == FileOwner::host || !(in_path("/__clang_cuda") || in_path("/cuda_wrappers/"));
  }

  void add(const std::string& name, const clang::MacroInfo& macro) {
    if (!done_.insert(name).second) return;
    HostMacro found{name, definition_text(macro, name, preprocessor_), {}};
    for (const Token& token : macro.tokens()) {
      const clang::IdentifierInfo* const word = token.getIdentifierInfo();
      if (word == nullptr) continue;
      const std::string inner = word->getName().str();
      const clang::MacroInfo* const used = find(inner);
      if (used == nullptr || used == &macro || used->isBuiltinMacro() ||
          sources_.in_user_file(used->getDefinitionLoc())) {
        continue;
      }
      found.needs.push_back(inner);
      add(inner, *used);
    }
    source_.host_macros.push_back(std::move(found));
  }

  clang::Preprocessor& preprocessor_;
  SourceMap& sources_;
  ParsedSource& source_;
  std::set<std::string> done_;
};

}  // namespace

void record_into(clang::Preprocessor& preprocessor, SourceMap& sources, ParsedSource& source) {
  // The preprocessor owns both.
  preprocessor.AddPragmaHandler(new RegionPragmaHandler(sources, source.recorded));
  preprocessor.addPPCallbacks(std::make_unique<Recorder>(sources, source));
}

void collect_host_macros(clang::Preprocessor& preprocessor, SourceMap& sources, ParsedSource& source) {
  HostMacros macros(preprocessor, sources, source);
  macros.use_all_in_user_macros();
  // A copy: the loop must not see what it adds.
  const std::vector<RecordedMacroUse> uses = source.recorded.macro_uses;
  for (const RecordedMacroUse& use : uses) macros.use(use.name);
}

}  // namespace cudahot::extract
