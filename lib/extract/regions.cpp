#include "lib/extract/regions.hpp"

#include <algorithm>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include "lib/extract/function_regions.hpp"
#include "lib/extract/region_edges.hpp"
#include "lib/region/code_frame.hpp"
#include "lib/region/directive.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::extract {
namespace {

using clang::FunctionDecl;
using clang::Stmt;
using llvm::dyn_cast;
using llvm::isa;
using region::TextRange;

// Where an offset lies among the statements of a function.
struct Position {
  const clang::CompoundStmt* block = nullptr;
  const Stmt* crossed = nullptr;  // the statement or expression in the middle of which it is
  bool in_lambda = false;
  bool in_loop = false;
  bool begins = false;  // asked for a begin
};

bool is_loop(const Stmt* statement) {
  return isa<clang::ForStmt>(statement) || isa<clang::WhileStmt>(statement) || isa<clang::DoStmt>(statement) ||
         isa<clang::CXXForRangeStmt>(statement);
}

// Whether a ';' of the source ends it that its own range does not hold.
bool ends_with_semicolon(const Stmt* statement) {
  if (const auto* branch = dyn_cast<clang::IfStmt>(statement)) {
    return ends_with_semicolon(branch->getElse() != nullptr ? branch->getElse() : branch->getThen());
  }
  if (const auto* loop = dyn_cast<clang::ForStmt>(statement)) return ends_with_semicolon(loop->getBody());
  if (const auto* loop = dyn_cast<clang::WhileStmt>(statement)) return ends_with_semicolon(loop->getBody());
  if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(statement)) return ends_with_semicolon(loop->getBody());
  if (const auto* branch = dyn_cast<clang::SwitchStmt>(statement)) return ends_with_semicolon(branch->getBody());
  if (const auto* label = dyn_cast<clang::LabelStmt>(statement)) return ends_with_semicolon(label->getSubStmt());
  if (const auto* label = dyn_cast<clang::SwitchCase>(statement)) return ends_with_semicolon(label->getSubStmt());
  if (const auto* inner = dyn_cast<clang::AttributedStmt>(statement)) return ends_with_semicolon(inner->getSubStmt());
  return !isa<clang::CompoundStmt>(statement) && !isa<clang::DeclStmt>(statement) && !isa<clang::NullStmt>(statement) &&
         !isa<clang::CXXTryStmt>(statement);
}

// What a label stands before; nullptr for other statements.
const Stmt* labelled(const Stmt* statement) {
  if (const auto* label = dyn_cast<clang::LabelStmt>(statement)) return label->getSubStmt();
  if (const auto* label = dyn_cast<clang::SwitchCase>(statement)) return label->getSubStmt();
  return nullptr;
}

class Finder {
 public:
  Finder(AstSession& session, const UnitTable& table) : session_(session), table_(table) {}

  void run() {
    collect_functions(session_.ast.getTranslationUnitDecl());
    const std::vector<EdgePair> pairs = pair_region_edges(session_.source);
    std::vector<StatementRegion> regions;
    session_.source.regions.reserve(pairs.size());  // StatementRegion points into it
    for (const EdgePair& edges : pairs) {
      if (const FunctionDecl* const function = function_around(edges.begin, edges.end)) {
        if (auto region = check(edges.begin, edges.end, function)) regions.push_back(std::move(*region));
      } else {
        add_function_region(edges);
      }
    }
    for (const StatementRegion& region : regions) analyse_interface(session_, region);
  }

 private:
  const std::string& text(BufferIndex buffer) const { return session_.sources.text(buffer); }

  void refuse_at(const Edge& edge, Refusal refusal, std::string message) {
    refuse_edge(session_.source, edge, refusal, std::move(message));
  }

  void collect_functions(const clang::DeclContext* context) {
    for (const clang::Decl* declaration : context->decls()) {
      if (!session_.sources.in_user_file(declaration->getBeginLoc())) continue;
      const clang::Decl* const inner = described(declaration);
      if (const auto* function = dyn_cast<FunctionDecl>(inner)) {
        const bool body = function->doesThisDeclarationHaveABody();
        if (body || (function->hasSkippedBody() && function->isThisDeclarationADefinition())) {
          functions_.push_back(function);
        }
      } else if (const auto* nested = dyn_cast<clang::DeclContext>(inner)) {
        collect_functions(nested);
      }
    }
  }

  // The innermost function whose body (or, skipped, whole text) holds both edges.
  const FunctionDecl* function_around(const Edge& begin, const Edge& end) {
    const FunctionDecl* found = nullptr;
    std::size_t found_at = 0;
    for (const FunctionDecl* function : functions_) {
      const auto around = body_span(function);
      if (!around || around->buffer != begin.buffer) continue;
      if (around->range.begin >= begin.mark.line.begin || around->range.end < end.mark.line.end) continue;
      if (found == nullptr || around->range.begin >= found_at) {
        found = function;
        found_at = around->range.begin;
      }
    }
    return found;
  }

  std::optional<Span> body_span(const FunctionDecl* function) {
    if (function->doesThisDeclarationHaveABody()) {
      return session_.sources.span(function->getBody()->getSourceRange(), session_.language());
    }
    const auto unit = table_.unit(function);
    if (!unit) return std::nullopt;
    return session_.source.units[*unit].span;
  }

  void add_function_region(const EdgePair& edges) {
    if (!check_directives(edges.begin, edges.end)) return;
    auto functions = whole_functions(session_, table_, edges);
    if (!functions) return;
    FoundRegion region = describe(edges.begin, edges.end);
    region.kind = region::Region::Kind::functions;
    region.function = functions->declared.front().name;
    region.units = std::move(functions->units);
    region.declared = std::move(functions->declared);
    session_.source.regions.push_back(std::move(region));
  }

  std::optional<StatementRegion> check(const Edge& begin, const Edge& end, const FunctionDecl* function) {
    const std::string& name = begin.mark.name;
    if (!runs_on_device(function) || is_host_only(function)) {
      refuse_at(begin, Refusal::in_host_function,
                fmt::format("region '{}' is in '{}', which runs on the host", name, qualified_name(*function)));
      return std::nullopt;
    }
    const auto unit = table_.enclosing_unit(function);
    const auto* const method = dyn_cast<clang::CXXMethodDecl>(function);
    if (!unit || (method != nullptr && method->getParent()->isLambda())) {
      refuse_at(begin, Refusal::in_lambda, fmt::format("region '{}' is inside a lambda", name));
      return std::nullopt;
    }
    const Position from = locate_in(function, begin);
    const Position to = locate_in(function, end);
    if (!between_statements(begin, from) || !between_statements(end, to)) return std::nullopt;
    if (from.in_lambda || to.in_lambda) {
      refuse_at(begin, Refusal::in_lambda, fmt::format("region '{}' is inside a lambda", name));
      return std::nullopt;
    }
    if (from.block != to.block) {
      refuse_at(end, Refusal::different_blocks,
                fmt::format("region '{}' ends in another block than it begins in (line {})", name,
                            region::locate(text(begin.buffer), begin.offset(), {}).line));
      return std::nullopt;
    }
    if (!check_directives(begin, end)) return std::nullopt;

    StatementRegion region;
    region.function = function;
    region.in_loop = from.in_loop;
    if (!collect_statements(begin, end, from.block, region)) return std::nullopt;
    region.found = &session_.source.regions.emplace_back(describe(begin, end));
    region.found->function = qualified_name(*function);
    region.found->units = {top_level(*unit)};
    return region;
  }

  UnitIndex top_level(UnitIndex unit) const {
    while (session_.source.units[unit].parent) unit = *session_.source.units[unit].parent;
    return unit;
  }

  FoundRegion describe(const Edge& begin, const Edge& end) const {
    FoundRegion region;
    region.name = begin.mark.name;
    region.body = {begin.buffer, {begin.mark.line.end, end.mark.line.begin}};
    region.begin_line = begin.mark.line;
    region.end_line = end.mark.line;
    const std::string& source = text(begin.buffer);
    const auto first = source.begin() + static_cast<std::ptrdiff_t>(begin.mark.line.begin);
    const auto last = source.begin() + static_cast<std::ptrdiff_t>(begin.mark.line.end);
    region.first_line = begin.mark.line_number + static_cast<std::uint32_t>(std::count(first, last, '\n'));
    return region;
  }

  bool between_statements(const Edge& edge, const Position& position) {
    if (position.block != nullptr && position.crossed == nullptr) return true;
    refuse_at(edge, Refusal::inside_statement,
              fmt::format("'#pragma cudahot {}' is not between two statements of a block",
                          edge.mark.kind == region::PragmaMark::Kind::begin ? "begin" : "end"));
    return false;
  }

  Position locate_in(const FunctionDecl* function, const Edge& edge) {
    Position position;
    position.begins = edge.mark.kind == region::PragmaMark::Kind::begin;
    descend(function->getBody(), {edge.buffer, edge.offset()}, position);
    return position;
  }

  // Follows the statements whose text holds the place.
  void descend(const Stmt* statement, const Place& place, Position& position) {
    if (statement == nullptr) return;
    const auto span = session_.sources.span(statement->getSourceRange(), session_.language());
    const bool holds =
        span && span->buffer == place.buffer && span->range.begin <= place.offset && place.offset < span->range.end;
    if (span && span->buffer == place.buffer && !holds) return;
    if (holds) {
      const Stmt* const outer = position.crossed;
      const auto* const block = dyn_cast<clang::CompoundStmt>(statement);
      if (block != nullptr && !block->getBeginLoc().isMacroID()) {
        position.block = block;
        position.crossed = nullptr;
      } else {
        position.crossed = statement;
      }
      if (position.begins && is_behind_label(statement, place)) {
        if (outer == nullptr || labelled(outer) != nullptr) position.crossed = nullptr;
        return;
      }
      position.in_lambda = position.in_lambda || isa<clang::LambdaExpr>(statement);
      position.in_loop = position.in_loop || is_loop(statement);
    }
    if (const auto* lambda = dyn_cast<clang::LambdaExpr>(statement)) {
      descend(lambda->getBody(), place, position);
      return;
    }
    for (const Stmt* child : statement->children()) descend(child, place, position);
  }

  // Between a label and its statement a region may begin: the label stays before it, whatever the region becomes.
  bool is_behind_label(const Stmt* statement, const Place& place) {
    const Stmt* const inner = labelled(statement);
    if (inner == nullptr) return false;
    const auto whole = session_.sources.span(statement->getSourceRange(), session_.language());
    const auto rest = session_.sources.span(inner->getSourceRange(), session_.language());
    if (!whole || !rest || rest->buffer != place.buffer || whole->buffer != place.buffer) return false;
    const bool between = whole->range.begin < place.offset && place.offset < rest->range.begin;
    return between && text(place.buffer).find(':', whole->range.begin) < place.offset;
  }

  // The statement that is left of this one when the region begins behind its labels.
  const Stmt* behind_labels(const Stmt* statement, const Place& place) {
    for (const Stmt* at = statement; labelled(at) != nullptr; at = labelled(at)) {
      if (is_behind_label(at, place)) return labelled(at);
    }
    return statement;
  }

  // No use of another file, and no conditional that reaches over an edge.
  bool check_directives(const Edge& begin, const Edge& end) {
    const auto inside = [&](const Place& place) {
      return place.buffer == begin.buffer && place.offset >= begin.mark.line.end && place.offset < end.mark.line.begin;
    };
    // In the text, not in what Clang met: the device compiler may take other branches of a conditional.
    const std::size_t body = begin.mark.line.end;
    const std::string_view source = text(begin.buffer);
    if (const auto use = region::find_file_use(source.substr(body, end.mark.line.begin - body))) {
      refuse_range(session_.source, begin.buffer, {body + use->begin, body + use->end}, Refusal::include_in_region,
                   fmt::format("region '{}' holds an #include, or asks for one", begin.mark.name));
      return false;
    }
    int depth = 0;
    const RecordedConditional* first = nullptr;
    for (const RecordedConditional& conditional : session_.source.recorded.conditionals) {
      if (!inside(conditional.place)) continue;
      if (first == nullptr) first = &conditional;
      using Kind = RecordedConditional::Kind;
      const bool crosses = depth == 0 && conditional.kind != Kind::open;
      if (crosses) return refuse_conditional(begin, conditional.place);
      if (conditional.kind == Kind::open) ++depth;
      if (conditional.kind == Kind::close) --depth;
    }
    return depth == 0 || refuse_conditional(begin, first->place);
  }

  bool refuse_conditional(const Edge& begin, const Place& place) {
    refuse_range(session_.source, place.buffer, {place.offset, place.offset + 1}, Refusal::conditional_crosses,
                 fmt::format("this conditional reaches over an edge of region '{}'", begin.mark.name));
    return false;
  }

  bool collect_statements(const Edge& begin, const Edge& end, const clang::CompoundStmt* block,
                          StatementRegion& region) {
    for (const Stmt* statement : block->body()) {
      statement = behind_labels(statement, {begin.buffer, begin.offset()});
      const auto span = session_.sources.span(statement->getSourceRange(), session_.language());
      if (!span || span->buffer != begin.buffer) continue;
      const std::size_t last = with_semicolon(statement, *span);
      for (const Edge* edge : {&begin, &end}) {
        const std::size_t at = edge->offset();
        if (span->range.begin < at && last > at) {
          refuse_at(*edge, Refusal::splits_statement,
                    fmt::format("'#pragma cudahot {}' splits a statement", edge == &begin ? "begin" : "end"));
          return false;
        }
      }
      if (span->range.begin >= begin.mark.line.end && last <= end.mark.line.begin) {
        region.statements.push_back(statement);
      }
    }
    return true;
  }

  std::size_t with_semicolon(const Stmt* statement, const Span& span) {
    if (!ends_with_semicolon(statement)) return span.range.end;
    const std::string& source = text(span.buffer);
    // The ';' may stand after comments and, where a pragma splits them, after directives.
    std::size_t at = span.range.end;
    region::RawScanner scanner(std::string_view(source).substr(at));
    while (const auto token = scanner.next()) {
      if (token->kind == region::RawToken::Kind::comment || token->kind == region::RawToken::Kind::directive) continue;
      const std::size_t token_at = span.range.end + token->range.begin;
      if (source[token_at] == ';') at = token_at + 1;
      break;
    }
    return at;
  }

  AstSession& session_;
  const UnitTable& table_;
  std::vector<const FunctionDecl*> functions_;
};

}  // namespace

void find_regions(AstSession& session, const UnitTable& table) { Finder(session, table).run(); }

}  // namespace cudahot::extract
