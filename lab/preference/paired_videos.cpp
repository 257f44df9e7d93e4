#include "lab/preference/paired_videos.h"

#include "sgf/core/error.h"
#include "sgf/files/sha256.h"
#include "sgf/files/strict_json.h"
#include "sgf/media/video_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kPlayedByBrowsers{".mp4", ".m4v", ".mov", ".webm"};

bool is_played(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return std::ranges::find(kPlayedByBrowsers, ending) != kPlayedByBrowsers.end() &&
         !file.filename().string().starts_with(".");
}

PairedVideo describe_video(const fs::path& file) {
  PairedVideo video{.file = file, .sha256 = sha256_of_file(file)};
  const VideoReader reader(file);
  video.width = reader.width();
  video.height = reader.height();
  if (reader.fps() && reader.frame_count()) video.seconds = static_cast<double>(*reader.frame_count()) / *reader.fps();
  if (const std::optional<std::string> note = read_video_note(file)) take_note(video, *note);
  return video;
}

using VideosByName = std::map<std::string, const PairedVideo*>;

// If both have a note, it decides: two videos with the same name but different prompts are not a pair.
VideosByName by_identity(const std::vector<PairedVideo>& videos) {
  VideosByName found;
  for (const PairedVideo& video : videos) {
    if (!video.identity) continue;
    const auto [other, is_new] = found.emplace(*video.identity, &video);
    SGF_CHECK(is_new, "{} and {} have the same prompt and seed, but a pair needs only one of them; move the other",
              other->second->file.string(), video.file.string());
  }
  return found;
}

VideosByName by_stem(const std::vector<PairedVideo>& videos) {
  VideosByName found;
  for (const PairedVideo& video : videos) {
    const auto [other, is_new] = found.emplace(video.file.stem().string(), &video);
    SGF_CHECK(is_new, "{} and {} differ only in their extension, but a pair needs only one of them; move the other",
              other->second->file.string(), video.file.string());
  }
  return found;
}

const PairedVideo* find_partner(const PairedVideo& video, const VideosByName& noted, const VideosByName& named) {
  if (video.identity) {
    const auto found = noted.find(*video.identity);
    if (found != noted.end()) return found->second;
  }
  const auto found = named.find(video.file.stem().string());
  const bool is_pair = found != named.end() && !(video.identity && found->second->identity);
  return is_pair ? found->second : nullptr;
}

std::string why_alone(const PairedVideo& video, const VideosByName& others_named) {
  const auto other = others_named.find(video.file.stem().string());
  if (other == others_named.end()) return "has no partner with the same prompt and seed, or the same name";
  return fmt::format("has no partner: {} has its name, but another prompt or seed", other->second->file.string());
}

}  // namespace

std::string VideoPair::caption() const {
  if (!a.caption.empty()) return a.caption;
  return b.caption.empty() ? a.file.stem().string() : b.caption;
}

void take_note(PairedVideo& video, const std::string& note) {
  const nlohmann::json order = try_parse_json(note).value_or(nullptr);
  // Not parsed as an order, so that notes of other program versions work too.
  if (!order.is_object() || !order.contains("prompts") || !order["prompts"].is_array() || !order.contains("seed"))
    return;
  std::string caption;
  for (const nlohmann::json& timed : order["prompts"]) {
    if (!timed.is_object() || !timed.contains("prompt") || !timed["prompt"].is_string()) return;
    const nlohmann::json at = timed.value("at", nlohmann::json(0));
    if (!caption.empty()) caption += fmt::format(" … from {:g} s: ", at.is_number() ? at.get<double>() : 0.0);
    caption += timed["prompt"].get<std::string>();
  }
  video.caption = caption;
  video.identity = nlohmann::json{order["prompts"], order["seed"], order.value("number", nlohmann::json(0))}.dump();
}

FoundVideos find_paired_videos(const fs::path& folder) {
  SGF_CHECK(fs::is_directory(folder), "{} is not a folder; sgf compare needs two folders of videos", folder.string());
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_played(entry.path())) files.push_back(entry.path());
  SGF_CHECK(!files.empty(), "{} holds no mp4, m4v, mov or webm file", folder.string());
  std::ranges::sort(files);
  FoundVideos found;
  for (const fs::path& file : files) {
    try {
      found.videos.push_back(describe_video(file));
    } catch (const Error& error) {
      found.unreadable.push_back({file, error.what()});
    }
  }
  return found;
}

PairedVideos pair_videos(const std::vector<PairedVideo>& a, const std::vector<PairedVideo>& b) {
  const VideosByName a_named = by_stem(a), b_named = by_stem(b), a_noted = by_identity(a), b_noted = by_identity(b);
  PairedVideos paired;
  for (const PairedVideo& video : a) {
    const PairedVideo* partner = find_partner(video, b_noted, b_named);
    // A video that is another one's partner by note cannot be matched by name.
    if (partner == nullptr || find_partner(*partner, a_noted, a_named) != &video) {
      paired.left_out.push_back({video.file, why_alone(video, b_named)});
    } else if (partner->sha256 == video.sha256) {
      paired.left_out.push_back({video.file, fmt::format("is identical to {}", partner->file.string())});
    } else {
      paired.pairs.push_back({video, *partner});
    }
  }
  for (const PairedVideo& video : b) {
    const PairedVideo* partner = find_partner(video, a_noted, a_named);
    if (partner == nullptr || find_partner(*partner, b_noted, b_named) != &video)
      paired.left_out.push_back({video.file, why_alone(video, a_named)});
  }
  return paired;
}

}  // namespace sgf
