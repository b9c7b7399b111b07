// SourceView: the files that a slice was made from, as they are on disk as far as is known.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/files.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::runtime {

// The normalised text of a file and its digest.
struct SourceText {
  std::string text;
  base::Digest digest;
};

// Errors: as base::read_file.
Result<SourceText> read_source(const std::filesystem::path& file);

// Whether a file or folder is there.
bool is_there(const std::string& path);

// New content of a file, or that it cannot be read any more. Or, of where a header was looked for, whether something is
// there now.
struct FileChange {
  std::string file;  // as it was given to watch
  SourceText content;
  std::chrono::steady_clock::time_point seen;    // the first event of this change
  std::chrono::steady_clock::time_point stable;  // when `content` had been read
  std::optional<Error> lost{};                   // set: why it cannot be read; there is no `content`
  std::optional<bool> found{};                   // set: of a lookup; there is no `content`
};

class SourceView {
 public:
  // The slice's files with the digests that it was made from, and its lookups. What is known from before stays.
  void adopt(const region::Slice& slice);

  // Beyond those of the slice: files as they are on disk now, and lookups.
  void add(const std::vector<std::string>& files, const std::vector<region::Lookup>& lookups);

  // For changes that have content, and of lookups. Nothing when the file was read later than the change.
  void apply(const FileChange& change);

  // Reads what has changed since it was last looked at, and looks where headers were looked for. Files that are missing
  // keep the content they had; those that had been read are what it gives. The first look reads only the main file and
  // the user's headers: whether a system header is the one that a bundle was made with on another machine does not
  // matter.
  std::vector<FileChange> refresh();

  // Whether the change is of a file or lookup of this view.
  bool concerns(const FileChange& change) const;
  // A __has_include found the file, and it is gone: not a loss, but another answer.
  bool is_other_answer(const FileChange& lost) const;
  std::vector<std::string> files() const;
  const std::map<std::string, bool>& lookups() const {
    return lookups_;
  }  // whether something is there, as far as known

  // nullptr when the file is not known.
  const base::Digest* digest(const std::string& file) const;
  // The text that goes with digest(); reads it if need be. nullptr: not to be had.
  const std::string* text(const std::string& file);

  // Over all names and contents, and what is known of lookups.
  base::Digest fingerprint() const;

 private:
  struct Entry {
    region::FileRecord::Role role = region::FileRecord::Role::other;
    base::Digest digest;
    std::optional<std::string> text;
    std::optional<base::FileStamp> stamp;
    std::chrono::steady_clock::time_point read_at;
  };
  static Status read_into(const std::string& file, Entry& entry);

  std::map<std::string, Entry> files_;
  std::map<std::string, bool> lookups_;
};

}  // namespace cudahot::runtime
