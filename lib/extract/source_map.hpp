// From Clang's file and location numbers to the model's buffers, files and offsets.
#pragma once

#include <map>
#include <optional>

#include <clang/Basic/SourceManager.h>

#include "lib/extract/file_owner.hpp"
#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

// Adds files and user buffers to `source` as they are met. Lives as long as one parse.
class SourceMap {
 public:
  SourceMap(const clang::SourceManager& manager, const FileOwners& owners, const std::string& working_directory,
            ParsedSource& source)
      : manager_(manager), owners_(owners), working_directory_(working_directory), source_(source) {}

  FileIndex file(clang::FileEntryRef entry);
  std::optional<FileIndex> file(clang::FileID id);
  FileOwner owner(clang::FileID id);

  // The buffer of a user file; nullopt for files of others.
  std::optional<BufferIndex> buffer(clang::FileID id);

  // Where a location is written, macro uses taken at their outermost expansion; nullopt
  // outside of user files.
  std::optional<Place> place(clang::SourceLocation location);

  // The file that a location is written in, as above.
  std::optional<FileIndex> file_of(clang::SourceLocation location);
  bool in_user_file(clang::SourceLocation location) { return place(location).has_value(); }

  // From the first byte of the first token to after the last one's last; nullopt when they are
  // not in one user buffer.
  std::optional<Span> span(clang::SourceRange range, const clang::LangOptions& language);

  const clang::SourceManager& manager() const { return manager_; }
  const std::string& text(BufferIndex buffer) const { return source_.buffers[buffer].text; }

 private:
  const clang::SourceManager& manager_;
  const FileOwners& owners_;
  const std::string& working_directory_;
  ParsedSource& source_;
  std::map<const clang::FileEntry*, FileIndex> files_;
  std::map<clang::FileID, std::optional<BufferIndex>> buffers_;
};

}  // namespace cudahot::extract
