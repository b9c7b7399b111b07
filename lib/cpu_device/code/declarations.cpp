#include "lib/cpu_device/code/declarations.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "lib/region/raw_scanner.hpp"

namespace cudahot::cpu_device {
namespace {

using region::RawToken;

struct Token {
  std::string_view text;
  region::TextRange range;
  bool word = false;
};
using Tokens = std::vector<Token>;

bool has(const Tokens& tokens, std::string_view text) {
  return std::ranges::any_of(tokens, [&](const Token& token) { return token.text == text; });
}

bool opens(const Token& token) { return token.text == "(" || token.text == "[" || token.text == "{"; }
bool closes(const Token& token) { return token.text == ")" || token.text == "]" || token.text == "}"; }

// The index after the bracket that closes the one at `open`; the end if there is none.
std::size_t after_group(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (opens(tokens[i])) ++depth;
    if (closes(tokens[i]) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

bool takes_arguments(std::string_view word) {
  constexpr std::array kWords{"__align__",         "alignas",  "__attribute__", "__launch_bounds__",
                              "__builtin_align__", "decltype", "__maxnreg__",   "__cluster_dims__",
                              "__declspec",        "noexcept", "explicit"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// The tokens without attributes and what is in their brackets.
Tokens without_attributes(const Tokens& tokens) {
  Tokens rest;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool bracketed = i + 1 < tokens.size();
    if (takes_arguments(tokens[i].text) && bracketed && tokens[i + 1].text == "(") {
      i = after_group(tokens, i + 1) - 1;
      continue;
    }
    if (tokens[i].text == "[" && bracketed && tokens[i + 1].text == "[") {
      i = after_group(tokens, i) - 1;
      continue;
    }
    rest.push_back(tokens[i]);
  }
  return rest;
}

// The index after each `template <...>` that the tokens begin with.
std::size_t after_template_heads(const Tokens& tokens) {
  std::size_t i = 0;
  while (i + 1 < tokens.size() && tokens[i].text == "template" && tokens[i + 1].text == "<") {
    int angles = 0;
    for (++i; i < tokens.size(); ++i) {
      if (tokens[i].text == "<") ++angles;
      if (tokens[i].text == ">" && --angles == 0) break;
    }
    ++i;
  }
  return std::min(i, tokens.size());
}

// The index of the first '=' outside brackets and outside the parameters of a template; the end if there is none.
std::size_t assignment(const Tokens& tokens) {
  const auto is_part_of_comparison = [&](std::size_t i) {
    constexpr std::string_view kBefore = "=<>!";
    const bool second = i > 0 && kBefore.find(tokens[i - 1].text) != std::string_view::npos;
    return second || (i + 1 < tokens.size() && tokens[i + 1].text == "=");
  };
  std::size_t i = after_template_heads(tokens);
  while (i < tokens.size()) {
    if (tokens[i].text == "=" && !is_part_of_comparison(i)) return i;
    i = opens(tokens[i]) ? after_group(tokens, i) : i + 1;
  }
  return i;
}

bool assigns(const Tokens& tokens) { return assignment(tokens) < tokens.size(); }

std::string text_between(std::string_view text, std::size_t begin, std::size_t end) {
  return std::string(text.substr(begin, end - begin));
}

class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  Declarations find() {
    region::RawScanner scanner(text_);
    while (const auto token = scanner.next()) {
      if (token->kind == RawToken::Kind::comment) continue;
      const std::string_view content = text_.substr(token->range.begin, token->range.size());
      if (token->kind == RawToken::Kind::directive) follow_conditional(content);
      else take({content, token->range, token->kind == RawToken::Kind::word}, token->kind);
    }
    return std::move(found_);
  }

 private:
  struct Scope {
    bool is_namespace = false;  // or a linkage specification: its names are those around it
    std::vector<std::string> names;
    std::optional<Function> function;
  };

  // Where a scan stands: what `#else` takes back.
  struct State {
    std::vector<Scope> scopes;
    Tokens statement;
    int depth = 0;  // of brackets within the statement
  };

  bool at_namespace_scope() const {
    return std::ranges::all_of(state_.scopes, [](const Scope& scope) { return scope.is_namespace; });
  }

  NamespacePath scope_path() const {
    NamespacePath path;
    for (const auto& scope : state_.scopes) path.insert(path.end(), scope.names.begin(), scope.names.end());
    return path;
  }

  void follow_conditional(std::string_view directive) {
    std::size_t begin = directive.find_first_not_of(" \t", 1);
    if (begin == std::string_view::npos) return;
    const std::string_view rest = directive.substr(begin);
    if (rest.starts_with("if") || rest.starts_with("el") || rest.starts_with("endif")) {
      for (auto& scope : state_.scopes) scope.function.reset();
    }
    if (rest.starts_with("if")) conditionals_.push_back(state_);
    else if (rest.starts_with("el") && !conditionals_.empty()) state_ = conditionals_.back();
    else if (rest.starts_with("endif") && !conditionals_.empty()) conditionals_.pop_back();
  }

  void take(const Token& token, RawToken::Kind kind) {
    const bool punctuator = kind == RawToken::Kind::punctuator;
    const bool namespace_scope = at_namespace_scope();
    if (punctuator && token.text == "{" && (!namespace_scope || (state_.depth == 0 && !starts_initializer()))) {
      open_scope(namespace_scope, token.range.begin);
      return;
    }
    if (punctuator && token.text == "}" && (!namespace_scope || state_.depth == 0)) {
      close_scope(token.range.end);
      end_statement();
      return;
    }
    state_.statement.push_back(token);
    if (!punctuator) return;
    if (namespace_scope && opens(token)) ++state_.depth;
    if (namespace_scope && closes(token) && state_.depth > 0) --state_.depth;
    if (token.text == ";" && (!namespace_scope || state_.depth == 0)) {
      if (namespace_scope) take_declaration(state_.statement);
      take_shared(state_.statement, namespace_scope);
      take_initialised_shared(state_.statement, false);
      end_statement();
    }
  }

  void end_statement() {
    state_.statement.clear();
    state_.depth = 0;
  }

  // Whether a '{' behind the statement's tokens belongs to a variable.
  bool starts_initializer() const {
    const Tokens& tokens = state_.statement;
    if (assigns(tokens) && !has(tokens, "operator")) return true;
    if (has(tokens, "struct") || has(tokens, "class") || has(tokens, "union") || has(tokens, "enum")) return false;
    return space_of(tokens).has_value() && !has(without_attributes(tokens), "(");
  }

  void open_scope(bool namespace_scope, std::size_t begin) {
    const Tokens& tokens = state_.statement;
    Scope scope;
    if (!has(tokens, "struct") && !has(tokens, "class") && !has(tokens, "union") && !has(tokens, "enum")) {
      take_initialised_shared(tokens, true);
    }
    if (namespace_scope) {
      const bool linkage = tokens.size() == 2 && tokens[0].text == "extern" && tokens[1].text.starts_with('"');
      scope.is_namespace = linkage || (has(tokens, "namespace") && !has(tokens, "("));
      if (scope.is_namespace && !linkage) scope.names = namespace_names(tokens);
      if (!scope.is_namespace) {
        take_launch_bound(tokens);
        if (const auto name = function_name(tokens)) scope.function = Function{*name, {begin, begin}};
      }
    }
    state_.scopes.push_back(std::move(scope));
    end_statement();
  }

  void close_scope(std::size_t end) {
    if (state_.scopes.empty()) return;
    if (auto& function = state_.scopes.back().function) {
      function->body.end = end;
      found_.functions.push_back(*function);
    }
    state_.scopes.pop_back();
  }

  // nullopt in doubt: of what has more brackets than those of its parameters, or a name that is not plain.
  static std::optional<region::TextRange> function_name(const Tokens& statement) {
    Tokens tokens = without_attributes(statement);
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(after_template_heads(tokens)));
    for (const auto word : {"constexpr", "consteval", "operator", "struct", "class", "union", "enum"}) {
      if (has(tokens, word)) return std::nullopt;
    }
    const auto open = std::ranges::find(tokens, std::string_view("("), &Token::text);
    if (open == tokens.end() || open - tokens.begin() < 2) return std::nullopt;
    const Token& name = *(open - 1);
    const auto close = tokens.begin() + static_cast<std::ptrdiff_t>(
                                            after_group(tokens, static_cast<std::size_t>(open - tokens.begin())));
    const bool plain = name.word && (open - 2)->text != ":" && (open - 2)->text != "~";
    const bool more = std::ranges::any_of(close, tokens.end(), [](const Token& token) { return token.text == "("; });
    return plain && !more ? std::optional(name.range) : std::nullopt;
  }

  static std::vector<std::string> namespace_names(const Tokens& tokens) {
    std::vector<std::string> names;
    for (const auto& token : without_attributes(tokens)) {
      if (token.word && token.text != "namespace" && token.text != "inline") names.emplace_back(token.text);
    }
    if (names.empty()) names.emplace_back();
    return names;
  }

  static std::optional<DeviceVariable::Space> space_of(const Tokens& tokens) {
    if (has(tokens, "__managed__")) return DeviceVariable::Space::managed;
    if (has(tokens, "__constant__")) return DeviceVariable::Space::constant;
    if (has(tokens, "__device__")) return DeviceVariable::Space::global;
    return std::nullopt;
  }

  void take_declaration(const Tokens& statement) {
    const auto space = space_of(statement);
    if (!space) return;
    for (const auto word : {"extern", "constexpr", "template", "using", "typedef", "friend", "operator"}) {
      if (has(statement, word)) return;
    }
    const Tokens tokens = without_attributes(statement);
    const bool internal_by_word = has(tokens, "static");
    bool is_const = false;
    std::string name;
    bool named = false;  // the declarator's name is complete
    int angles = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const bool pointer_to_function = token.text == "(" && i + 1 < tokens.size() && tokens[i + 1].text == "*";
      if (token.text == "<") ++angles;
      else if (token.text == ">") --angles;
      if (angles > 0) continue;
      if (token.text == "(" && !named && !pointer_to_function) return;  // a function
      if (token.text == "," || token.text == ";") {
        if (!name.empty()) add_variable(name, *space, internal_by_word || is_const);
        name.clear();
        named = false;
      } else if (named) {
        if (opens(token)) i = after_group(tokens, i) - 1;
      } else if (token.text == "const") {
        is_const = true;
      } else if (token.text == "*") {
        is_const = false;
      } else if (token.text == "[" || token.text == "=" || token.text == "{") {
        named = true;
        if (opens(token)) i = after_group(tokens, i) - 1;
      } else if (token.text == ")") {
        named = true;
      } else if (token.word) {
        const bool continues = i >= 2 && tokens[i - 1].text == ":" && tokens[i - 2].text == ":";
        name = continues && !name.empty() ? name.append("::").append(token.text) : std::string(token.text);
      }
    }
  }

  void add_variable(const std::string& name, DeviceVariable::Space space, bool internal) {
    found_.variables.push_back({scope_path(), name, space, internal});
  }

  void take_launch_bound(const Tokens& tokens) {
    const auto bound =
        std::ranges::find_if(tokens, [](const Token& token) { return token.text == "__launch_bounds__"; });
    if (bound == tokens.end() || bound + 1 == tokens.end() || (bound + 1)->text != "(") return;
    const std::size_t open = static_cast<std::size_t>(bound - tokens.begin()) + 1;
    std::size_t end = open + 1;
    for (const std::size_t close = after_group(tokens, open) - 1; end < close && tokens[end].text != ",";) {
      end = opens(tokens[end]) ? after_group(tokens, end) : end + 1;
    }
    const Tokens rest = without_attributes(tokens);
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i].text != "(" || !rest[i - 1].word) continue;
      found_.launch_bounds.push_back({scope_path(), std::string(rest[i - 1].text),
                                      text_between(text_, tokens[open].range.end, tokens[end].range.begin)});
      return;
    }
  }

  void take_shared(const Tokens& tokens, bool namespace_scope) {
    const auto shared = std::ranges::find_if(tokens, [](const Token& token) { return token.text == "__shared__"; });
    if (shared == tokens.end()) return;
    const auto external = std::ranges::find_if(tokens, [](const Token& token) { return token.text == "extern"; });
    if (external == tokens.end()) {
      const std::size_t next = static_cast<std::size_t>(shared - tokens.begin()) + 1;
      if (next + 1 < tokens.size() && tokens[next].text == "alignas") {
        const std::size_t end = after_group(tokens, next + 1) - 1;
        found_.shared_alignas.push_back({shared->range, {tokens[next].range.begin, tokens[end].range.end}});
      }
      return;
    }
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      if (tokens[i].text != "[" || tokens[i + 1].text != "]" || !tokens[i - 1].word) continue;
      std::size_t end = i + 2;
      while (end < tokens.size() && tokens[end].text == "[") end = after_group(tokens, end);
      if (end == tokens.size()) return;
      found_.dynamic_shared.push_back({external->range,
                                       shared->range,
                                       tokens[i - 1].range,
                                       {tokens[i].range.begin, tokens[i + 1].range.end},
                                       tokens[end].range.begin,
                                       namespace_scope,
                                       scope_path()});
    }
  }

  // `__shared__ int x = 5`, and `__shared__ int x` where a '{' follows.
  void take_initialised_shared(const Tokens& statement, bool braced) {
    Tokens tokens = without_attributes(statement);
    tokens.erase(tokens.begin(), std::ranges::find(tokens, std::string_view("__shared__"), &Token::text));
    if (tokens.empty()) return;
    const std::size_t end = assignment(tokens);
    if (end == tokens.size() && !braced) return;
    const Token* name = nullptr;
    for (std::size_t i = 0; i < end; i = opens(tokens[i]) ? after_group(tokens, i) : i + 1) {
      if (tokens[i].word) name = &tokens[i];
    }
    found_.initialised_shared.push_back(name->range);
  }

  std::string_view text_;
  State state_;
  std::vector<State> conditionals_;
  Declarations found_;
};

}  // namespace

Declarations find_declarations(std::string_view text) { return Finder(text).find(); }

std::string qualified(const NamespacePath& scope, std::string_view name) {
  std::string result;
  for (const auto& part : scope) {
    if (!part.empty()) result.append("::").append(part);
  }
  return result.append("::").append(name);
}

std::string mangle(const DeviceVariable& variable) {
  std::vector<std::string> parts;
  bool anonymous = false;
  for (const auto& part : variable.scope) {
    anonymous = anonymous || part.empty();
    parts.push_back(part.empty() ? "_GLOBAL__N_1" : part);
  }
  std::size_t begin = 0;
  for (std::size_t colon; (colon = variable.name.find("::", begin)) != std::string::npos; begin = colon + 2) {
    parts.push_back(variable.name.substr(begin, colon - begin));
  }
  const std::string last = variable.name.substr(begin);
  // A static member is not internal, and what is in an anonymous namespace needs no second mark.
  const bool mark = variable.internal && !anonymous && begin == 0;
  if (parts.empty() && !mark) return last;
  std::string result = parts.empty() ? "_Z" : "_ZN";
  for (const auto& part : parts) result += std::to_string(part.size()) + part;
  if (mark) result += 'L';
  result += std::to_string(last.size());
  result += last;
  if (!parts.empty()) result += 'E';
  return result;
}

}  // namespace cudahot::cpu_device
