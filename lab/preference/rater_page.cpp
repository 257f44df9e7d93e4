#include "lab/preference/rater_page.h"

#include "lab/preference/blinding.h"
#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/writable_folder.h"
#include "sgf/report/html_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace sgf {

// The page's policy forbids external resources: videos are embedded or beside the page.
namespace assets {
extern const std::string_view rater_page_html, rater_page_css, rater_page_js, rater_video_html;
}

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kStudySides{"left", "right"};
constexpr std::string_view kVideos = "{{videos}}\n";  // written one by one, since they may be large

const fs::path& file_on(const BlindPair& pair, size_t side) { return (side == 0) == pair.a_is_left ? pair.a : pair.b; }

std::string blind_video(const fs::path& file) {
  std::string bytes(MappedFile::open(file)->text());
  forget_words(bytes);
  return bytes;
}

std::string type_of(const fs::path& file) { return file.extension() == ".webm" ? "video/webm" : "video/mp4"; }

// Names the position of the video, but not its origin.
std::string name_on_page(size_t pair, size_t side, const fs::path& file) {
  return fmt::format("{:04}-{}{}", pair + 1, kStudySides[side], file.extension() == ".webm" ? ".webm" : ".mp4");
}

int64_t bytes_of_videos(const BlindStudy& study) {
  int64_t bytes = 0;
  for (const BlindPair& pair : study.pairs)
    bytes += static_cast<int64_t>(fs::file_size(pair.a) + fs::file_size(pair.b));
  return bytes;
}

// Prompts are external text and must not be able to end the script element.
std::string script_json(const nlohmann::json& document) {
  std::string text = document.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return text;
}

nlohmann::json data_of(const BlindStudy& study, const std::string& folder) {
  nlohmann::json pairs = nlohmann::json::array();
  for (size_t p = 0; p < study.pairs.size(); ++p) {
    const BlindPair& pair = study.pairs[p];
    nlohmann::json entry{{"left", pair.shown.left}, {"right", pair.shown.right}, {"caption", pair.caption}};
    for (size_t side = 0; side < 2; ++side) {
      const fs::path& file = file_on(pair, side);
      entry["types"].push_back(type_of(file));
      if (!folder.empty()) entry["files"].push_back(folder + "/" + name_on_page(p, side, file));
    }
    pairs.push_back(std::move(entry));
  }
  return {{"study", study.id()}, {"pairs", std::move(pairs)}};
}

void embed_videos(const BlindStudy& study, AtomicFile& page) {
  for (size_t p = 0; p < study.pairs.size(); ++p) {
    for (size_t side = 0; side < 2; ++side) {
      page.write(
          fill_page(assets::rater_video_html, {{"id", fmt::format("{}{}", kStudySides[side], p)},
                                               {"video", encode_base64(blind_video(file_on(study.pairs[p], side)))}}));
    }
  }
}

void copy_videos(const BlindStudy& study, const fs::path& folder) {
  create_folder(folder);
  for (size_t p = 0; p < study.pairs.size(); ++p) {
    for (size_t side = 0; side < 2; ++side) {
      const fs::path& file = file_on(study.pairs[p], side);
      AtomicFile copy(folder / name_on_page(p, side, file));
      copy.write(blind_video(file));
      copy.commit();
    }
  }
}

}  // namespace

RaterPageFiles write_rater_page(const BlindStudy& study, const RaterPageSettings& settings) {
  SGF_CHECK(!study.pairs.empty(), "a study needs at least one pair of videos");
  RaterPageFiles written{.video_bytes = bytes_of_videos(study), .folder = {}};
  const bool is_embedded = written.video_bytes <= settings.embed_bytes;
  const std::string folder = is_embedded ? "" : fmt::format("videos-{}", study.id().substr(0, 12));
  if (!is_embedded) {
    written.folder = settings.page.parent_path() / folder;
    copy_videos(study, written.folder);
  }
  const size_t videos = assets::rater_page_html.find(kVideos);
  AtomicFile page(settings.page);
  page.write(fill_page(assets::rater_page_html.substr(0, videos),
                       {{"style", assets::rater_page_css}, {"study", script_json(data_of(study, folder))}}));
  if (is_embedded) embed_videos(study, page);
  page.write(fill_page(assets::rater_page_html.substr(videos + kVideos.size()), {{"script", assets::rater_page_js}}));
  page.commit();
  return written;
}

}  // namespace sgf
