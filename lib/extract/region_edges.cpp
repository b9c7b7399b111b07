#include "lib/extract/region_edges.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lib/region/code_frame.hpp"

namespace cudahot::extract {
namespace {

using region::PragmaMark;
using region::TextRange;

// A pragma that is refused here stays in the list, as one of the kind `other`.
std::vector<Edge> read_edges(ParsedSource& source) {
  std::map<BufferIndex, std::vector<PragmaMark>> marks;
  std::vector<Edge> edges;
  for (const RecordedPragma& pragma : source.recorded.pragmas) {
    const BufferIndex buffer = pragma.place.buffer;
    const TextRange here{pragma.place.offset, pragma.place.offset + 1};
    if (!pragma.directive) {
      refuse_range(source, buffer, here, Refusal::from_macro, "this cudahot pragma comes from a macro or _Pragma");
      edges.push_back({buffer, {}});
      continue;
    }
    const auto [known, added] = marks.try_emplace(buffer);
    if (added) known->second = region::find_pragmas(source.buffers[buffer].text);
    const auto mark = std::find_if(known->second.begin(), known->second.end(), [&](const PragmaMark& each) {
      return each.line.begin <= here.begin && here.begin < each.line.end;
    });
    if (mark == known->second.end()) {
      refuse_range(source, buffer, here, Refusal::from_macro,
                   "this cudahot pragma is not written on a line of its own");
      edges.push_back({buffer, {}});
      continue;
    }
    Edge edge{buffer, *mark};
    if (mark->kind == PragmaMark::Kind::other) {
      refuse_edge(source, edge, Refusal::malformed_pragma, fmt::format("malformed cudahot pragma: {}", mark->problem));
    }
    edges.push_back(std::move(edge));
  }
  return edges;
}

class Pairing {
 public:
  explicit Pairing(ParsedSource& source) : source_(source) {}

  std::vector<EdgePair> run(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
      switch (edge.mark.kind) {
        case PragmaMark::Kind::begin:
          begin(edge);
          break;
        case PragmaMark::Kind::end:
          end(edge);
          break;
        case PragmaMark::Kind::instantiate:
          if (open_ != nullptr) {
            refuse_edge(source_, edge, Refusal::bad_instance,
                        fmt::format("'#pragma cudahot instantiate' stands inside region '{}'", open_->mark.name));
          }
          break;
        case PragmaMark::Kind::other:
          ++unpaired_;
          break;
      }
    }
    if (open_ != nullptr && !nesting_refused_ && unpaired_ == 0) {
      refuse_edge(source_, *open_, Refusal::never_closed, fmt::format("region '{}' is never closed", open_->mark.name));
    }
    return std::move(pairs_);
  }

 private:
  void begin(const Edge& edge) {
    if (open_ != nullptr && take_unpaired()) open_ = nullptr;
    if (open_ != nullptr) {
      refuse_edge(source_, edge, Refusal::nested,
                  fmt::format("region '{}' begins inside region '{}' (line {})", edge.mark.name, open_->mark.name,
                              line_of(*open_)));
      nesting_refused_ = true;
      ++nested_;
      return;
    }
    const auto [first, added] = named_.emplace(edge.mark.name, &edge);
    if (!added) refuse_name(edge, *first->second);
    open_ = &edge;
  }

  SourceLocation location_of(const Edge& edge) const {
    return region::locate(source_.buffers[edge.buffer].text, edge.offset(), shown_file(source_, edge.buffer));
  }

  std::uint32_t line_of(const Edge& edge) const { return location_of(edge).line; }

  void refuse_name(const Edge& edge, const Edge& first) {
    const SourceLocation first_place = location_of(first);
    const std::string where = fmt::format("{}:{}", first_place.file, first_place.line);
    const bool read_twice = edge.buffer != first.buffer &&
                            source_.buffers[edge.buffer].file == source_.buffers[first.buffer].file &&
                            edge.mark.line_number == first.mark.line_number;
    refuse_edge(source_, edge, Refusal::duplicate_name,
                read_twice ? fmt::format("{} is included more than once, and region '{}' with it",
                                         shown_file(source_, edge.buffer), edge.mark.name)
                           : fmt::format("a region named '{}' exists already ({})", edge.mark.name, where));
  }

  void end(const Edge& edge) {
    if (open_ == nullptr) {
      if (take_unpaired()) return;
      refuse_edge(source_, edge, Refusal::end_without_begin, "'#pragma cudahot end' without a begin before it");
      return;
    }
    if (nested_ > 0 && edge.mark.name != open_->mark.name) {
      --nested_;  // of a region that is refused already
      return;
    }
    unpaired_ += std::exchange(nested_, 0);
    if (!edge.mark.name.empty() && edge.mark.name != open_->mark.name) {
      refuse_edge(
          source_, edge, Refusal::name_mismatch,
          fmt::format("end({}) closes region '{}' of line {}", edge.mark.name, open_->mark.name, line_of(*open_)));
    } else if (edge.buffer != open_->buffer) {
      refuse_edge(
          source_, edge, Refusal::different_files,
          fmt::format("region '{}' begins in {} and ends here", open_->mark.name, shown_file(source_, open_->buffer)));
    } else {
      pairs_.push_back({*open_, edge});
    }
    open_ = nullptr;
  }

  // Whether a pragma that is refused already may be the other half of one that stands alone.
  bool take_unpaired() {
    if (unpaired_ == 0) return false;
    --unpaired_;
    return true;
  }

  ParsedSource& source_;
  std::vector<EdgePair> pairs_;
  std::map<std::string, const Edge*> named_;
  const Edge* open_ = nullptr;
  int nested_ = 0;    // regions that began inside the open one and have not ended
  int unpaired_ = 0;  // refused pragmas whose other half has not been met
  bool nesting_refused_ = false;
};

}  // namespace

std::vector<EdgePair> pair_region_edges(ParsedSource& source) {
  const std::vector<Edge> edges = read_edges(source);
  return Pairing(source).run(edges);
}

void refuse_edge(ParsedSource& source, const Edge& edge, Refusal refusal, std::string message) {
  const std::string& text = source.buffers[edge.buffer].text;
  const bool newline = edge.mark.line.end > edge.offset() && text[edge.mark.line.end - 1] == '\n';
  refuse_range(source, edge.buffer, {edge.offset(), edge.mark.line.end - (newline ? 1U : 0U)}, refusal,
               std::move(message));
}

void refuse_range(ParsedSource& source, BufferIndex buffer, TextRange range, Refusal refusal, std::string message) {
  source.diagnostics.push_back(
      refuse(refusal, source.buffers[buffer].text, shown_file(source, buffer), range, std::move(message)));
}

}  // namespace cudahot::extract
