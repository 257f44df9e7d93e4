// manifest.json in the folder of `sgf generate --prompts`, as far as it exists before the first video.
#pragma once

#include <string>

namespace sgf {

// Throws if the folder has a manifest.json that `sgf generate` did not write.
void check_manifest(const std::string& folder);

}  // namespace sgf
