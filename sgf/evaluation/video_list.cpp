#include "sgf/evaluation/video_list.h"

#include "sgf/core/error.h"
#include "sgf/files/json_file.h"
#include "sgf/files/strict_json.h"
#include "sgf/media/frame_source.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kVideoEndings{".mp4", ".avi", ".mov", ".mkv", ".webm",
                                                        ".gif", ".y4m", ".m4v", ".ts"};

bool holds_png_files(const fs::path& folder) {
  return std::ranges::any_of(fs::directory_iterator(folder), [](const auto& entry) { return is_png(entry.path()); });
}

bool looks_like_video(const fs::directory_entry& entry) {
  if (entry.path().filename().string().starts_with(".")) return false;
  if (entry.is_directory()) return holds_png_files(entry.path());
  std::string ending = entry.path().extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kVideoEndings, ending) != kVideoEndings.end();
}

std::string plain_name(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

std::vector<fs::path> videos_at(const fs::path& place) {
  SGF_CHECK(fs::exists(place), "{}: no such file or folder", place.string());
  if (!fs::is_directory(place) || holds_png_files(place))
    return {place.has_filename() ? place : place.parent_path()};  // "frames/" is named frames
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place))
    if (looks_like_video(entry)) files.push_back(entry.path());
  SGF_CHECK(!files.empty(), "{} holds no video files and no folders of .png files", place.string());
  std::ranges::sort(files);
  return files;
}

// A list of {file_key: name, prompt_key: text}.
void add_entries(PromptBook& book, const nlohmann::json& list, const char* file_key, const char* prompt_key) {
  for (const nlohmann::json& entry : list) {
    if (!entry.at(prompt_key).is_string()) continue;  // a failed video
    book.prompts[plain_name(entry.at(file_key).get<std::string>())] = entry.at(prompt_key).get<std::string>();
  }
}

void add_info_list(PromptBook& book, const nlohmann::json& list) {
  for (const nlohmann::json& entry : list) {
    const nlohmann::json videos = entry.value("video_list", nlohmann::json::array());
    for (const nlohmann::json& video : videos.is_array() ? videos : nlohmann::json::array({videos}))
      book.prompts[plain_name(video.get<std::string>())] = entry.at("prompt_en").get<std::string>();
  }
}

PromptBook book_of(const nlohmann::json& content) {
  PromptBook book;
  if (content.is_array()) {
    add_info_list(book, content);
  } else if (content.contains("clips")) {
    add_entries(book, content.at("clips"), "file", "caption");
    book.world = content.value("world", "");
  } else if (content.contains("videos")) {
    add_entries(book, content.at("videos"), "file", "prompt");
  } else {
    for (const auto& [name, prompt] : content.items()) book.prompts[plain_name(name)] = prompt.get<std::string>();
  }
  return book;
}

}  // namespace

std::string prompt_of_name(const fs::path& file) {
  const std::string stem = fs::path(plain_name(file)).stem().string();
  const size_t dash = stem.rfind('-');
  const bool is_numbered = dash != std::string::npos && dash + 1 < stem.size() &&
                           std::all_of(stem.begin() + static_cast<int64_t>(dash) + 1, stem.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_numbered ? stem.substr(0, dash) : stem;
}

PromptBook read_prompt_book(const fs::path& path) {
  const nlohmann::json content = read_json_file(path);
  try {
    PromptBook book = book_of(content);
    SGF_CHECK(!book.prompts.empty(), "{} holds no prompts of videos", path.string());
    return book;
  } catch (const nlohmann::json::exception& error) {
    fail(
        "{} is not a list of prompts; expected {{\"name.mp4\": \"prompt\"}}, a manifest.json, or VBench's info file: "
        "{}",
        path.string(), json_complaint(error.what()));
  }
}

std::vector<ListedVideo> list_videos(const fs::path& place, const std::optional<PromptBook>& book) {
  std::vector<ListedVideo> videos;
  for (const fs::path& file : videos_at(place)) {
    ListedVideo video{.file = file, .prompt = std::nullopt};
    if (!book) {
      video.prompt = prompt_of_name(file);
    } else if (const auto found = book->prompts.find(plain_name(file)); found != book->prompts.end()) {
      video.prompt = found->second;
    }
    videos.push_back(std::move(video));
  }
  return videos;
}

}  // namespace sgf
