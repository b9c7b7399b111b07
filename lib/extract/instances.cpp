#include "lib/extract/instances.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <clang/AST/Expr.h>
#include <fmt/format.h>

#include "lib/extract/region_edges.hpp"
#include "lib/extract/units.hpp"
#include "lib/region/code_frame.hpp"

namespace cudahot::extract {
namespace {

using clang::Token;
using llvm::dyn_cast;
namespace tok = clang::tok;

constexpr std::string_view kPrefix = "__cudahot_instance_";

// The commas between names, not those between template arguments.
std::vector<std::vector<Token>> split_names(const std::vector<Token>& tokens) {
  std::vector<std::vector<Token>> names(1);
  int depth = 0;
  for (const Token& token : tokens) {
    if (token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace, tok::less)) ++depth;
    if (token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace, tok::greater)) --depth;
    if (token.is(tok::greatergreater)) depth -= 2;
    if (token.is(tok::comma) && depth == 0) names.emplace_back();
    else names.back().push_back(token);
  }
  return names;
}

std::string spelled(clang::Preprocessor& preprocessor, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (!text.empty() && token.hasLeadingSpace()) text += ' ';
    text += preprocessor.getSpelling(token);
  }
  return text;
}

// The variables of namespaces by the number in their name; those elsewhere are not found.
void find_variables(const clang::DeclContext* context, std::map<std::size_t, clang::VarDecl*>& found) {
  for (clang::Decl* declaration : context->decls()) {
    if (auto* variable = dyn_cast<clang::VarDecl>(declaration)) {
      const llvm::StringRef name = variable->getDeclName().isIdentifier() ? variable->getName() : llvm::StringRef();
      std::size_t number = 0;
      if (!name.starts_with(llvm::StringRef(kPrefix.data(), kPrefix.size()))) continue;
      if (!name.drop_front(kPrefix.size()).getAsInteger(10, number)) found.emplace(number, variable);
    } else if (llvm::isa<clang::NamespaceDecl>(declaration) || llvm::isa<clang::LinkageSpecDecl>(declaration)) {
      find_variables(llvm::cast<clang::DeclContext>(declaration), found);
    }
  }
}

bool holds_kernel(const clang::VarDecl& variable) {
  const clang::Expr* value = variable.getInit();
  if (value == nullptr) return false;
  value = value->IgnoreParenImpCasts();
  if (const auto* address = dyn_cast<clang::UnaryOperator>(value)) value = address->getSubExpr()->IgnoreParenImpCasts();
  const auto* const reference = dyn_cast<clang::DeclRefExpr>(value);
  return reference != nullptr && reference->getDecl()->hasAttr<clang::CUDAGlobalAttr>();
}

bool same_pragma(const RecordedInstance& a, const RecordedInstance& b) {
  return a.pragma.buffer == b.pragma.buffer && a.pragma.offset == b.pragma.offset;
}

class Checker {
 public:
  explicit Checker(AstSession& session) : session_(session) {}

  void run() {
    std::map<std::size_t, clang::VarDecl*> variables;
    find_variables(session_.ast.getTranslationUnitDecl(), variables);
    const std::vector<RecordedInstance>& wanted = session_.source.recorded.instances;
    std::optional<std::string> complaint;
    bool refused = false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (i == 0 || !same_pragma(wanted[i - 1], wanted[i])) {
        complaint = take_complaint(wanted[i]);
        refused = complaint && complaint->empty();
      }
      const auto found = variables.find(i);
      clang::VarDecl* const variable = found == variables.end() ? nullptr : found->second;
      if (variable != nullptr) variable->setImplicit();
      const bool last = i + 1 == wanted.size() || !same_pragma(wanted[i], wanted[i + 1]);
      const bool sound = variable != nullptr && holds_kernel(*variable) && !(complaint && last);
      if (refused || sound) continue;
      refused = true;  // once a pragma
      if (variable == nullptr) {
        refuse(wanted[i].pragma, "'#pragma cudahot instantiate' stands inside a function or class");
      } else if (complaint) {
        refuse(wanted[i].pragma, fmt::format("cannot instantiate '{}': {}", wanted[i].name, *complaint));
      } else {
        refuse(wanted[i].pragma, fmt::format("'{}' is no kernel", wanted[i].name));
      }
    }
  }

 private:
  // Clang complains about the variables that nobody wrote: what it says of them is about the names. Empty: the pragma
  // is refused already.
  std::optional<std::string> take_complaint(const RecordedInstance& instance) {
    const BufferIndex buffer = instance.pragma.buffer;
    const SourceLocation place =
        region::locate(session_.sources.text(buffer), instance.pragma.offset, shown_file(session_.source, buffer));
    std::optional<std::string> complaint;
    bool taking = false;
    std::erase_if(session_.source.diagnostics, [&](const Diagnostic& each) {
      const bool about_it = each.location.file == place.file && each.location.line == place.line;
      if (about_it && !each.id.empty()) {
        complaint = std::string();
        return false;
      }
      if (about_it && each.severity != Severity::note && !complaint) complaint = each.text;
      // Notes belong to what they follow.
      taking = about_it || (taking && each.severity == Severity::note);
      return taking;
    });
    return complaint;
  }

  void refuse(const Place& pragma, std::string message) {
    const region::TextRange line{pragma.offset, session_.sources.text(pragma.buffer).find('\n', pragma.offset)};
    refuse_range(session_.source, pragma.buffer, line, Refusal::bad_instance, std::move(message));
  }

  AstSession& session_;
};

}  // namespace

void request_instances(clang::Preprocessor& preprocessor, const Place& pragma, const std::vector<Token>& tokens,
                       RecordedSource& recorded) {
  if (tokens.empty()) return;
  std::vector<Token> text;
  const auto add = [&](tok::TokenKind kind, clang::IdentifierInfo* word = nullptr) {
    Token token;
    token.startToken();
    token.setKind(kind);
    token.setLocation(tokens.front().getLocation());
    token.setIdentifierInfo(word);
    text.push_back(token);
  };
  for (const std::vector<Token>& name : split_names(tokens)) {
    // static auto* __cudahot_instance_0 = &shade<float>;
    const std::string variable = fmt::format("{}{}", kPrefix, recorded.instances.size());
    add(tok::kw_static);
    add(tok::kw_auto);
    add(tok::star);
    add(tok::identifier, preprocessor.getIdentifierInfo(variable));
    add(tok::equal);
    add(tok::amp);
    text.insert(text.end(), name.begin(), name.end());
    add(tok::semi);
    recorded.instances.push_back({pragma, spelled(preprocessor, name)});
  }
  auto stream = std::make_unique<Token[]>(text.size());
  std::copy(text.begin(), text.end(), stream.get());
  preprocessor.EnterTokenStream(std::move(stream), static_cast<unsigned>(text.size()), /*DisableMacroExpansion=*/true,
                                /*IsReinject=*/false);
}

void check_instances(AstSession& session) { Checker(session).run(); }

}  // namespace cudahot::extract
