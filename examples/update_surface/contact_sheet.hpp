// A contact sheet: captioned pictures of one size, in rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "picture.hpp"

namespace sample {

class ContactSheet {
 public:
  explicit ContactSheet(unsigned columns) : columns_(columns) {}

  // Fills rows from the left. All bitmaps have the size of the first one.
  void add(Bitmap bitmap, std::string caption) { tiles_.emplace_back(std::move(bitmap), std::move(caption)); }

  // On dark grey, captions below their pictures, cut off at a picture's width. At least one
  // picture has been added.
  Bitmap render() const;

 private:
  unsigned columns_;
  std::vector<std::pair<Bitmap, std::string>> tiles_;
};

}  // namespace sample
