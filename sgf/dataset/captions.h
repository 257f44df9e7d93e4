// What people write beside their videos: a list of files and captions. Torch-free.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace sgf {

// By file, as the list names it; without blanks at both ends.
using Captions = std::map<std::string, std::string>;

// Of a list in one of these forms, told by its extension:
//   .json   {"a.mp4": "a caption"}, or a list of objects as below
//   .jsonl  an object a line, {"file": "a.mp4", "caption": "a caption"}
//   .csv    a line of names, file and caption among them, then a line a video; quotes as in RFC 4180
// A file may also be called video, file_name or path, a caption text or prompt. Two captions of one file, and whatever
// is no such list, are Errors that name the place.
Captions read_captions(const std::filesystem::path& list);

}  // namespace sgf
