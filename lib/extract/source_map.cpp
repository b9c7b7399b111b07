#include "lib/extract/source_map.hpp"

#include <clang/Lex/Lexer.h>
#include <llvm/Support/Path.h>

namespace cudahot::extract {
namespace {

std::string absolute(llvm::StringRef path, const std::string& folder) {
  llvm::SmallString<256> full(path);
  if (!llvm::sys::path::is_absolute(full)) {
    full = folder;
    llvm::sys::path::append(full, path);
  }
  // ".." stays: after a symlink it is not what it looks like.
  llvm::sys::path::remove_dots(full, /*remove_dot_dot=*/false);
  return std::string(full);
}

}  // namespace

FileIndex SourceMap::file(clang::FileEntryRef entry) {
  const auto [known, added] = files_.try_emplace(&entry.getFileEntry(), static_cast<FileIndex>(source_.files.size()));
  if (added) {
    const llvm::StringRef name = entry.getName();
    const llvm::StringRef real = entry.getFileEntry().tryGetRealPathName();
    SourceFile file;
    file.shown = name.str();
    file.path = absolute(name, working_directory_);
    file.owner = owners_.owner(real.empty() ? std::string_view(file.path) : std::string_view(real.data(), real.size()));
    // The main file is the user's wherever it lies.
    if (known->second == 0) file.owner = FileOwner::user;
    // Names of these headers come out of the driver's search and from how a toolkit was named, not from the source.
    const bool searched = file.owner == FileOwner::host || file.owner == FileOwner::toolkit;
    if (searched && !real.empty()) file.path = real.str();
    source_.files.push_back(std::move(file));
  }
  return known->second;
}

std::optional<FileIndex> SourceMap::file(clang::FileID id) {
  const auto entry = manager_.getFileEntryRefForID(id);
  if (!entry) return std::nullopt;
  return file(*entry);
}

FileOwner SourceMap::owner(clang::FileID id) {
  const auto index = file(id);
  return index ? source_.files[*index].owner : FileOwner::compiler;
}

std::optional<BufferIndex> SourceMap::buffer(clang::FileID id) {
  const auto [known, added] = buffers_.try_emplace(id, std::nullopt);
  if (added && id.isValid()) {
    const auto index = file(id);
    if (index && source_.files[*index].owner == FileOwner::user) {
      known->second = static_cast<BufferIndex>(source_.buffers.size());
      source_.buffers.push_back({*index, manager_.getBufferData(id).str()});
    }
  }
  return known->second;
}

std::optional<Place> SourceMap::place(clang::SourceLocation location) {
  if (location.isInvalid()) return std::nullopt;
  const auto [id, offset] = manager_.getDecomposedExpansionLoc(location);
  const auto index = buffer(id);
  if (!index) return std::nullopt;
  return Place{*index, offset};
}

std::optional<FileIndex> SourceMap::file_of(clang::SourceLocation location) {
  if (location.isInvalid()) return std::nullopt;
  return file(manager_.getDecomposedExpansionLoc(location).first);
}

std::optional<Span> SourceMap::span(clang::SourceRange range, const clang::LangOptions& language) {
  if (range.isInvalid()) return std::nullopt;
  const auto begin = place(range.getBegin());
  const clang::SourceLocation last = manager_.getExpansionRange(range.getEnd()).getEnd();
  const auto end = place(last);
  if (!begin || !end || begin->buffer != end->buffer) return std::nullopt;
  return Span{begin->buffer, {begin->offset, end->offset + clang::Lexer::MeasureTokenLength(last, manager_, language)}};
}

}  // namespace cudahot::extract
