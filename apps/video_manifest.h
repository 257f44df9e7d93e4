// manifest.json in the folder of `sgf generate --prompts`, as far as it exists before the first video.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <set>
#include <string>

namespace sgf {

// Throws if the folder has a manifest.json that `sgf generate` did not write, or that lists videos of another world; ""
// is none.
void check_manifest(const std::string& folder, const std::string& world);

// Whether a manifest of sgf generate lists this file or folder of pictures, which need not exist any more.
bool lists_clip(const std::string& folder, const std::string& file);

// Clips that the folder's manifest lists for this world, whose files are still there and not among these new ones: a
// second set of videos is added to the first.
nlohmann::json earlier_clips(const std::string& folder, const std::string& world, const std::set<std::string>& fresh);

}  // namespace sgf
