// The pragmas of cudahot that the preprocessor met: regions' edges, paired, and requests for instances.
#pragma once

#include <string>
#include <vector>

#include "lib/extract/refusals.hpp"
#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

// A pragma and what its line says.
struct Edge {
  BufferIndex buffer = 0;
  region::PragmaMark mark;

  // Of the '#'.
  std::size_t offset() const { return mark.line.begin + mark.column - 1; }
};

struct EdgePair {
  Edge begin;
  Edge end;
};

// In the order of the preprocessor. What does not pair, or is no pragma of ours, goes to source.diagnostics.
std::vector<EdgePair> pair_region_edges(ParsedSource& source);

// Adds a refusal about the directive that stands at `edge`.
void refuse_edge(ParsedSource& source, const Edge& edge, Refusal refusal, std::string message);

// Adds a refusal about a range of a buffer.
void refuse_range(ParsedSource& source, BufferIndex buffer, region::TextRange range, Refusal refusal,
                  std::string message);

}  // namespace cudahot::extract
