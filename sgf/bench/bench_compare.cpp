#include "sgf/bench/bench_compare.h"

#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/strict_json.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

namespace sgf {
namespace {

using nlohmann::json;

// The keys that must be equal for two lines to be comparable. A key that both lack counts as equal. Older lines of the
// passes lack "activations".
bool same_work(const json& old, const json& line) {
  for (const char* key : {"item", "device", "dtype", "model", "batch", "frames", "block", "sink", "fifo", "latent",
                          "exit", "steps", "boundary"})
    if (old.value(key, json()) != line.value(key, json())) return false;
  return !old.contains("activations") || old["activations"] == line.value("activations", json());
}

bool is_timed(const json& line) { return line.contains("p50_ms"); }

json parse_line(const std::string& text, const std::filesystem::path& path, int64_t number) {
  const json line = try_parse_json(text).value_or(nullptr);
  SGF_CHECK(line.is_object(), "{}, line {}: expected a JSON object printed by `sgf bench`", path.string(), number);
  SGF_CHECK(line.contains("item") && line["item"].is_string(), "{}, line {}: lacks \"item\"", path.string(), number);
  const bool is_usable = !is_timed(line) || (line["p50_ms"].is_number() && line["p50_ms"].get<double>() > 0);
  SGF_CHECK(is_usable, "{}, line {}: \"p50_ms\" must be a positive number, got {}", path.string(), number,
            is_usable ? "" : line["p50_ms"].dump());
  return line;
}

}  // namespace

EarlierBench EarlierBench::read(const std::filesystem::path& path) {
  SGF_CHECK(std::filesystem::exists(path), "cannot read {}; --compare needs a file with the output of `sgf bench`",
            path.string());
  std::istringstream lines(std::string(MappedFile::open(path)->text()));
  EarlierBench earlier;
  earlier.path_ = path;
  std::string text;
  for (int64_t number = 1; std::getline(lines, text); ++number)
    if (!text.empty()) earlier.lines_.push_back(parse_line(text, path, number));
  SGF_CHECK(!earlier.lines_.empty(), "{} holds no lines; --compare needs the output of `sgf bench`", path.string());
  return earlier;
}

json EarlierBench::against(const json& line) const {
  if (!is_timed(line)) return nullptr;
  const auto found = std::find_if(lines_.rbegin(), lines_.rend(),
                                  [&](const json& old) { return is_timed(old) && same_work(old, line); });
  if (found == lines_.rend())
    return {{"note", "no line of " + path_.string() + " has this item, device, dtype and shape"}};
  const double old_ms = (*found)["p50_ms"].get<double>();
  return {{"p50_ms", old_ms}, {"ratio", old_ms / line["p50_ms"].get<double>()}};
}

}  // namespace sgf
