// Captions that people write for their videos: a list of files and captions. Torch-free.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace sgf {

// Keyed by the file name in the list; captions are trimmed.
using Captions = std::map<std::string, std::string>;

// Reads a list in one of these forms, chosen by its extension:
//   .json   {"a.mp4": "a caption"}, or a list of objects as below
//   .jsonl  one object per line, {"file": "a.mp4", "caption": "a caption"}
//   .csv    a header line with the columns file and caption, then one line per video; quotes as in RFC 4180
// The file key may also be video, file_name or path, the caption key text or prompt. Two captions for one file, and any
// other content, are Errors that name the place.
Captions read_captions(const std::filesystem::path& list);

}  // namespace sgf
