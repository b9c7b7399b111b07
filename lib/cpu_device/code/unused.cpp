#include "lib/cpu_device/code/unused.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/region/raw_scanner.hpp"

namespace cudahot::cpu_device {
namespace {

using region::RawToken;
using region::TextRange;

struct Body {
  std::string_view name;
  TextRange range;
  bool used = false;
  std::vector<std::string_view> words;
};

bool contains(const TextRange& range, std::size_t offset) { return range.begin <= offset && offset < range.end; }

class Search {
 public:
  Search(const region::Slice& slice, const Declarations& declarations)
      : slice_(slice), text_(slice.text), functions_(declarations.functions) {
    for (const auto& function : functions_) bodies_.push_back({at(function.name), function.body, false, {}});
  }

  UnusedBodies run() {
    scan(TextRange{0, text_.size()}, nullptr);
    if (pastes_names_) return {};
    for (const auto& kernel : slice_.kernels) {
      add_words(kernel.name);
      add_words(kernel.name_expression);
    }
    // Loops and structured bindings call these without naming them.
    roots_.insert(roots_.end(), {"begin", "end", "get"});
    spread();
    UnusedBodies unused;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_[i].used) (i < functions_.size() ? unused.functions : unused.macros).push_back(bodies_[i].range);
    }
    return unused;
  }

 private:
  std::string_view at(const TextRange& range) const { return text_.substr(range.begin, range.size()); }

  void add_words(std::string_view name) {
    region::RawScanner scanner(name);
    while (const auto token = scanner.next()) roots_.push_back(name.substr(token->range.begin, token->range.size()));
  }

  // Gives each word of `range` to `words`, or if there are none to the body that it stands in.
  void scan(const TextRange& range, std::vector<std::string_view>* words) {
    region::RawScanner scanner(at(range));
    while (const auto token = scanner.next()) {
      const TextRange place{range.begin + token->range.begin, range.begin + token->range.end};
      if (token->kind == RawToken::Kind::directive) take_directive(place);
      else if (token->kind == RawToken::Kind::word && !names_function(place.begin)) {
        (words != nullptr ? *words : words_around(place.begin)).push_back(at(place));
      }
    }
  }

  void take_directive(const TextRange& directive) {
    pastes_names_ = pastes_names_ || at(directive).find("##") != std::string_view::npos;
    region::RawScanner scanner(at(directive).substr(1));
    const std::size_t base = directive.begin + 1;
    const auto keyword = scanner.next();
    const auto name = keyword ? scanner.next() : std::nullopt;
    if (!name) return;
    const TextRange rest{base + name->range.begin, directive.end};
    if (text_.substr(base + keyword->range.begin, keyword->range.size()) != "define") {
      scan(rest, nullptr);
      return;
    }
    Body macro{text_.substr(rest.begin, name->range.size()), {rest.begin + name->range.size(), rest.end}, false, {}};
    scan(macro.range, &macro.words);
    bodies_.push_back(std::move(macro));
  }

  // Functions are in the order of the text, and so are the words.
  const Function* next_function(std::size_t offset) {
    while (next_ < functions_.size() && functions_[next_].body.end <= offset) ++next_;
    return next_ < functions_.size() ? &functions_[next_] : nullptr;
  }
  bool names_function(std::size_t offset) {
    const Function* function = next_function(offset);
    return function != nullptr && function->name.begin == offset;
  }
  std::vector<std::string_view>& words_around(std::size_t offset) {
    const Function* function = next_function(offset);
    return function != nullptr && contains(function->body, offset) ? bodies_[next_].words : roots_;
  }

  void spread() {
    std::unordered_multimap<std::string_view, std::size_t> named;
    for (std::size_t i = 0; i < bodies_.size(); ++i) named.emplace(bodies_[i].name, i);
    while (!roots_.empty()) {
      const auto [first, last] = named.equal_range(roots_.back());
      roots_.pop_back();
      for (auto each = first; each != last; ++each) {
        Body& body = bodies_[each->second];
        body.used = true;
        roots_.insert(roots_.end(), body.words.begin(), body.words.end());
      }
      named.erase(first, last);
    }
  }

  const region::Slice& slice_;
  std::string_view text_;
  const std::vector<Function>& functions_;
  std::size_t next_ = 0;
  std::vector<Body> bodies_;             // of functions_, then of macros
  std::vector<std::string_view> roots_;  // words that are used, and not yet followed
  bool pastes_names_ = false;
};

}  // namespace

UnusedBodies find_unused(const region::Slice& slice, const Declarations& declarations) {
  return Search(slice, declarations).run();
}

}  // namespace cudahot::cpu_device
