// Words of a compiler's command line, and the files that hold more of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::extract {

struct FlagWords {
  std::vector<std::string> words;
  std::vector<std::filesystem::path> files;  // that were read, absolute
};

// nvcc's options files (--options-file, -optf) and the @FILE of Clang and Bazel, read relative to `working_directory`
// and expanded in place. Errors: usage (a file that cannot be read, or includes itself).
Result<FlagWords> expand_flag_files(const std::vector<std::string>& flags,
                                    const std::filesystem::path& working_directory);

// Words as a POSIX shell splits them, without expansions.
std::vector<std::string> split_shell_words(std::string_view text);

// NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS as nvcc splits them: at white space outside of double quotes, which stay.
std::vector<std::string> split_environment_flags(std::string_view text);

// A value that is a list to nvcc: "A=1,B" and "inc,sys" are two. Commas in double quotes and behind a backslash do
// not count.
std::vector<std::string> split_list(std::string_view value);

}  // namespace cudahot::extract
