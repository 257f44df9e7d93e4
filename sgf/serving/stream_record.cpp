#include "sgf/serving/stream_record.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/json_file.h"
#include "sgf/files/json_integer.h"
#include "sgf/media/video_writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kRecordVersion = 1;

nlohmann::json to_json(const StreamRecord& r) {
  return {{"version", kRecordVersion},
          {"id", r.id},
          {"created", r.created},
          {"model", r.model},
          {"order", to_json(r.order)},
          {"live", r.is_live},
          {"ahead", r.ahead},
          {"limit_blocks", r.limit_blocks ? nlohmann::json(*r.limit_blocks) : nlohmann::json()},
          {"parent", r.parent},
          {"branch_block", r.branch_block},
          {"pair", r.pair},
          {"blocks", r.blocks}};
}

StreamRecord record_from(const nlohmann::json& json, const std::string& source) try {
  SGF_CHECK(integer_of(json.at("version")) == kRecordVersion, "{}: its version is {}, but this program supports {}",
            source, json.at("version").dump(), kRecordVersion);
  StreamRecord r{.id = json.at("id").get<std::string>(),
                 .created = integer_of(json.at("created")),
                 .model = json.at("model").get<std::string>(),
                 .order = order_from_json(json.at("order"), source),
                 .is_live = json.at("live").get<bool>(),
                 .ahead = integer_of(json.at("ahead")),
                 .parent = json.at("parent").get<std::string>(),
                 .branch_block = integer_of(json.at("branch_block")),
                 .pair = json.at("pair").get<std::string>(),
                 .blocks = integer_of(json.at("blocks"))};
  if (!json.at("limit_blocks").is_null()) r.limit_blocks = integer_of(json.at("limit_blocks"));
  for (const std::string* id : {&r.id, &r.parent, &r.pair})  // these become names of folders
    SGF_CHECK(id->empty() || stream_number(*id) > 0, "{}: a stream has a name like s-0001, got {}", source,
              in_quotes(*id));
  SGF_CHECK(r.blocks >= 0 && r.ahead >= 0 && r.branch_block >= 0 && r.limit_blocks.value_or(1) >= 1,
            "{}: its numbers of blocks must not be negative", source);
  return r;
} catch (const nlohmann::json::exception& error) {
  fail("{} is damaged: {}", source, error.what());
}

}  // namespace

std::string stream_id(int64_t number) { return fmt::format("s-{:04}", number); }

int64_t stream_number(const std::string& id) {
  int64_t number = 0;
  if (!id.starts_with("s-")) return 0;
  const auto [end, error] = std::from_chars(id.data() + 2, id.data() + id.size(), number);
  return error == std::errc() && number > 0 && id == stream_id(number) ? number : 0;
}

SessionFolder::SessionFolder(fs::path root) : root_(std::move(root)) {
  std::error_code error;
  for (const fs::path& folder : {root_, root_ / "streams", uploads()}) {
    fs::create_directories(folder, error);
    SGF_CHECK(fs::is_directory(folder), "cannot create the session folder {}: {}; choose another one with --folder",
              folder.string(), error ? error.message() : "a file has that name");
  }
}

fs::path SessionFolder::media_of(const std::string& id) const {
  return folder_of(id) / (can_write_videos() ? "video.mp4" : "frames");
}

void SessionFolder::save(const StreamRecord& record) const {
  fs::create_directory(folder_of(record.id));
  write_json_file(folder_of(record.id) / "stream.json", to_json(record));
}

std::vector<StreamRecord> SessionFolder::load(std::vector<std::string>& damaged) const {
  std::vector<StreamRecord> records;
  for (const auto& entry : fs::directory_iterator(root_ / "streams")) {
    const std::string id = entry.path().filename().string();
    const fs::path file = entry.path() / "stream.json";
    if (stream_number(id) == 0 || !fs::exists(file)) continue;
    try {
      StreamRecord record = record_from(read_json_file(file), file.string());
      SGF_CHECK(record.id == id, "{}: it belongs to {}, not to this folder", file.string(), in_quotes(record.id));
      records.push_back(std::move(record));
    } catch (const Error& error) {
      damaged.push_back(error.what());
    }
  }
  std::ranges::sort(records, {}, [](const StreamRecord& r) { return stream_number(r.id); });
  return records;
}

void SessionFolder::remove(const std::string& id) const { fs::remove_all(folder_of(id)); }

}  // namespace sgf
