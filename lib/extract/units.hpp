// Second stage: the user's declarations become units that stay or go as a whole.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lib/extract/ast_session.hpp"

namespace cudahot::extract {

class UnitTable {
 public:
  // The unit that declares `declaration` itself.
  std::optional<UnitIndex> unit(const clang::Decl* declaration) const;

  // The innermost unit that holds the declaration, which may be local.
  std::optional<UnitIndex> enclosing_unit(const clang::Decl* declaration) const;

  // The units of all its declarations; of a template also those of its specialisations.
  std::set<UnitIndex> units_of(const clang::Decl* declaration) const;

  const std::vector<const clang::Decl*>& declarations(UnitIndex unit) const { return declarations_[unit]; }

  void add(UnitIndex unit, const clang::Decl* declaration);

 private:
  std::map<const clang::Decl*, UnitIndex> units_;
  std::vector<std::vector<const clang::Decl*>> declarations_;
};

// Fills source.units, except for what they need.
UnitTable collect_units(AstSession& session);

}  // namespace cudahot::extract
