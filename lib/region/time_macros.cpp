#include "lib/region/time_macros.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "lib/region/directive.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

using Words = std::set<std::string, std::less<>>;

bool may_name_one(std::string_view text) {
  const auto holds = [](std::string_view part) {
    return part.find("__DATE__") != std::string_view::npos || part.find("__TIME") != std::string_view::npos;
  };
  if (holds(text)) return true;
  return text.find("\\\n") != std::string_view::npos && holds(without_splices(text));
}

// Calls see(word, range) for each word; those of directives only where `directives`.
template <typename See>
void each_word(std::string_view text, std::size_t begin, std::size_t end, bool directives, const See& see) {
  RawScanner scanner(text.substr(begin, end - begin));
  while (const auto token = scanner.next()) {
    const TextRange range{begin + token->range.begin, begin + token->range.end};
    if (token->kind == RawToken::Kind::word) {
      see(without_splices(text.substr(range.begin, range.size())), range);
    } else if (token->kind == RawToken::Kind::directive && directives) {
      each_word(text, range.begin + 1, range.end, false, see);
    }
  }
}

// Macros whose text comes to `name`.
Words leading_to(std::string_view name, const std::vector<std::vector<std::string>>& definitions) {
  Words words{std::string(name)};
  for (std::size_t known = 0; known != words.size();) {
    known = words.size();
    for (const auto& tokens : definitions) {  // "define", its name, its tokens
      if (tokens.size() < 3 || tokens[0] != "define") continue;
      if (std::any_of(tokens.begin() + 2, tokens.end(), [&](const auto& word) { return words.count(word) != 0; })) {
        words.insert(tokens[1]);
      }
    }
  }
  return words;
}

std::string definitions_of(const std::vector<std::string>& options) {
  std::string text;
  for (std::string option : options) {  // "-DNAME=VALUE", or "-D" and then the rest
    if (option.starts_with("-D")) option.erase(0, 2);
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) continue;
    option[equals] = ' ';
    text += "#define " + option + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::size_t> used_time_macros(std::string_view text, const std::vector<std::string>& options) {
  const std::string more = definitions_of(options);
  if (!may_name_one(text) && !may_name_one(more)) return {};
  auto definitions = macro_changes(text);
  for (auto& definition : macro_changes(more)) definitions.push_back(std::move(definition));
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < kTimeMacros.size(); ++i) {
    const Words words = leading_to(kTimeMacros[i].name, definitions);
    bool is_used = false;
    each_word(text, 0, text.size(), false,
              [&](const std::string& word, TextRange) { is_used = is_used || words.count(word) != 0; });
    if (is_used) used.push_back(i);
  }
  return used;
}

std::string time_definition(const TimeMacro& macro, std::string_view value) {
  return "#define " + std::string(macro.stand_in) + " \"" + std::string(value) + "\"\n";
}

bool lacks_time(std::string_view text, const std::vector<std::string>& options) {
  const auto used = used_time_macros(text, options);
  return std::ranges::any_of(used, [&](std::size_t index) {
    return text.find("#define " + std::string(kTimeMacros[index].stand_in) + " ") == std::string_view::npos;
  });
}

std::string with_time_stand_ins(std::string text) {
  if (!may_name_one(text)) return text;
  struct Place {
    TextRange range;
    std::string_view stand_in;
  };
  std::vector<Place> places;
  each_word(text, 0, text.size(), true, [&](const std::string& word, TextRange range) {
    const auto macro = std::ranges::find(kTimeMacros, std::string_view(word), &TimeMacro::name);
    if (macro != kTimeMacros.end()) places.push_back({range, macro->stand_in});
  });
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    std::string replacement(place->stand_in);
    const auto written = std::string_view(text).substr(place->range.begin, place->range.size());
    for (auto splices = std::ranges::count(written, '\n'); splices > 0; --splices) replacement += "\\\n";
    text.replace(place->range.begin, place->range.size(), replacement);
  }
  return text;
}

std::string with_time_names(std::string log) {
  // The last one's stand-in begins with another one's.
  for (auto macro = kTimeMacros.rbegin(); macro != kTimeMacros.rend(); ++macro) {
    for (std::size_t at = log.find(macro->stand_in); at != std::string::npos; at = log.find(macro->stand_in, at)) {
      log.replace(at, macro->stand_in.size(), macro->name);
    }
  }
  return log;
}

}  // namespace cudahot::region
