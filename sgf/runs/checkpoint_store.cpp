#include "sgf/runs/checkpoint_store.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/checkpoint_hashes.h"
#include "sgf/files/json_file.h"
#include "sgf/files/tensor_hash.h"

#include <fcntl.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStepPrefix = "step_";
constexpr const char* kMark = "DONE";
constexpr const char* kRemoved = "REMOVED";  // what the mark becomes before a checkpoint is removed
constexpr const char *kFileHashes = "hashes", *kMarkHash = "hash";  // keys of the mark
constexpr size_t kDigits = 8;

using FileSizes = std::map<std::string, uint64_t>;  // by path within the checkpoint

std::string folder_name(int64_t step) { return fmt::format("{}{:0{}}", kStepPrefix, step, kDigits); }

// Parses the step from "step_00000010"; empty for any other name.
std::optional<int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kStepPrefix) || name.size() < kStepPrefix.size() + kDigits) return std::nullopt;
  int64_t step = 0;
  const std::errc error = std::from_chars(name.data() + kStepPrefix.size(), name.data() + name.size(), step).ec;
  return error == std::errc() && name == folder_name(step) ? std::optional(step) : std::nullopt;
}

bool is_temporary(const std::string& name) { return name.starts_with('.') && name.ends_with(".tmp"); }

void sync(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  SGF_CHECK(fd >= 0, "cannot open {}: {}", path.string(), std::strerror(errno));
  const int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  // EINVAL: the file system does not support this sync.
  SGF_CHECK(error == 0 || error == EINVAL, "cannot sync {}: {}", path.string(), std::strerror(error));
}

FileSizes sizes_in(const fs::path& folder) {
  FileSizes sizes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_regular_file() && name != kMark) sizes[name] = entry.file_size();
  }
  return sizes;
}

// Syncs contents before the folders that hold them.
void sync_tree(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) entry.is_directory() ? sync_tree(entry) : sync(entry);
  sync(folder);
}

// The mark's own hash covers its other keys.
std::string hash_of_mark(nlohmann::json mark) {
  mark.erase(kMarkHash);
  const std::string text = mark.dump();
  return tensor_hash_of(std::as_bytes(std::span(text)));
}

void write_mark(const fs::path& folder, int64_t step) {
  const FileSizes files = sizes_in(folder);  // before the temporary file of the mark is among them
  nlohmann::json mark{{"step", step}, {"files", files}, {kFileHashes, nlohmann::json::object()}};
  for (const auto& [name, size] : files) mark[kFileHashes][name] = content_hash(folder / name);
  mark[kMarkHash] = hash_of_mark(mark);
  AtomicFile file(folder / kMark);
  file.write(mark.dump(1) + '\n');
  file.commit();
}

bool are_sizes(const nlohmann::json& files) {
  return files.is_object() &&
         std::all_of(files.begin(), files.end(), [](const nlohmann::json& size) { return size.is_number_unsigned(); });
}

bool are_hashes(const nlohmann::json& hashes) {
  return hashes.is_object() &&
         std::all_of(hashes.begin(), hashes.end(), [](const nlohmann::json& hash) { return hash.is_string(); });
}

// Empty if it is damaged. A mark that cannot be opened is an Error, since it may be intact. Marks of earlier versions
// have neither file hashes nor a hash of their own.
std::optional<nlohmann::json> read_mark(const fs::path& folder) {
  if (!fs::is_regular_file(folder / kMark)) return std::nullopt;
  std::optional<nlohmann::json> mark = try_read_json_file(folder / kMark);
  if (!mark || !mark->is_object() || !mark->contains("step") || !mark->contains("files")) return std::nullopt;
  if (!are_sizes(mark->at("files"))) return std::nullopt;
  const bool is_hashed = mark->size() == 4 && mark->contains(kMarkHash) && mark->contains(kFileHashes) &&
                         are_hashes(mark->at(kFileHashes));
  if (mark->size() != 2 && !(is_hashed && mark->at(kMarkHash) == hash_of_mark(*mark))) return std::nullopt;
  return mark;
}

// Describes what is wrong with a checkpoint; empty if nothing is.
std::string find_damage(const fs::path& folder) {
  if (!fs::is_directory(folder)) return "it is not a folder, or a link that leads to none";
  if (!fs::exists(folder / kMark)) return fmt::format("its mark {} is missing", kMark);
  const std::optional<nlohmann::json> mark = read_mark(folder);
  if (!mark) return fmt::format("its mark {} cannot be read", kMark);
  if (mark->at("step") != step_of(folder.filename().string()))
    return fmt::format("it was saved as step {}, and copied or renamed since", mark->at("step").dump());
  const FileSizes present = sizes_in(folder);
  for (const auto& [name, size] : mark->at("files").items()) {
    const auto found = present.find(name);
    if (found == present.end()) return fmt::format("{} is missing", name);
    if (size != found->second) return fmt::format("{} has {} bytes of {}", name, found->second, size.dump());
  }
  return "";
}

// What tells that it is being removed goes last.
void remove_unmarked(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != kRemoved) fs::remove_all(entry.path());
  fs::remove_all(folder);
}

// A partly deleted folder must look neither complete nor like a checkpoint that lost its mark.
void remove_checkpoint(const fs::path& folder) {
  fs::rename(folder / kMark, folder / kRemoved);
  sync(folder);
  remove_unmarked(folder);
}

// A removal that a kill interrupted. An empty folder is its last moment.
bool is_half_removed(const fs::path& folder) {
  return fs::is_directory(folder) && !fs::exists(folder / kMark) &&
         (fs::exists(folder / kRemoved) || fs::is_empty(folder));
}

}  // namespace

void KeepRule::validate() const {
  SGF_CHECK(last >= 1, "the number of kept checkpoints must be at least 1, got {}", last);
  SGF_CHECK(every >= 0, "the interval of permanently kept checkpoints must be 1 or more steps, or 0 for none, got {}",
            every);
}

CheckpointSurvey CheckpointStore::survey() const {
  CheckpointSurvey survey;
  if (!fs::exists(folder_)) return survey;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    const std::optional<int64_t> step = step_of(name);
    if (is_temporary(name) || (step && is_half_removed(entry.path()))) {
      survey.leftovers.push_back(entry.path());
    } else if (step) {
      const std::string damage = find_damage(entry.path());
      if (damage.empty())
        survey.complete.push_back(*step);
      else
        survey.damaged.push_back({*step, fmt::format("{}: {}", name, damage)});
    }
  }
  std::sort(survey.complete.begin(), survey.complete.end());
  return survey;
}

std::optional<int64_t> CheckpointStore::newest() const {
  const CheckpointSurvey found = survey();
  return found.complete.empty() ? std::nullopt : std::optional(found.complete.back());
}

fs::path CheckpointStore::folder_of(int64_t step) const { return folder_ / folder_name(step); }

std::string CheckpointStore::find_rot(int64_t step, const WantedFile& wanted) const {
  const fs::path folder = folder_of(step);
  const std::optional<nlohmann::json> mark = read_mark(folder);
  if (!mark) return fmt::format("its mark {} cannot be read", kMark);
  if (!mark->contains(kFileHashes)) return "";
  for (const auto& [name, hash] : mark->at(kFileHashes).items()) {
    const std::string damage =
        wanted(name) ? find_changed_content(folder / name, hash.get<std::string>()) : std::string();
    if (!damage.empty()) return fmt::format("{}: {}", name, damage);
  }
  return "";
}

CheckpointChoice CheckpointStore::choose(const std::function<WantedFile(const fs::path&)>& wanted_in) const {
  const CheckpointSurvey found = survey();
  CheckpointChoice choice;
  for (const auto& [step, description] : found.damaged) {
    choice.damaged.push_back(step);
    choice.passed_over.push_back(description);
  }
  for (auto step = found.complete.rbegin(); step != found.complete.rend(); ++step) {
    const std::string rot = find_rot(*step, wanted_in(folder_of(*step)));
    if (rot.empty()) {
      choice.step = *step;
      break;
    }
    choice.damaged.push_back(*step);
    choice.passed_over.push_back(fmt::format("{}: {}", folder_of(*step).filename().string(), rot));
  }
  return choice;
}

CheckpointChoice CheckpointStore::choose() const {
  return choose([](const fs::path&) { return [](const std::string&) { return true; }; });
}

fs::path CheckpointStore::set_aside(int64_t step) const {
  fs::path aside = folder_of(step).concat(".damaged");
  for (int number = 2; fs::exists(fs::symlink_status(aside)); ++number)
    aside = folder_of(step).concat(fmt::format(".damaged-{}", number));
  fs::rename(folder_of(step), aside);
  sync(folder_);
  return aside;
}

void CheckpointStore::save(int64_t step, const std::function<void(const fs::path&)>& write) const {
  const fs::path target = folder_of(step), temporary = folder_ / fmt::format(".{}.tmp", target.filename().string());
  SGF_CHECK(step >= 0, "the step of a checkpoint must not be negative, got {}", step);
  const bool is_there = fs::exists(target);
  SGF_CHECK(!is_there || !find_damage(target).empty(),
            "{}: this step is already saved; remove it first to save it again", target.string());
  fs::remove_all(temporary);
  if (is_there) set_aside(step);
  fs::create_directories(temporary);
  try {
    write(temporary);
    write_mark(temporary, step);
    sync_tree(temporary);
    fs::rename(temporary, target);
  } catch (...) {
    std::error_code ignored;  // the first error is reported
    fs::remove_all(temporary, ignored);
    throw;
  }
  sync(folder_);
}

std::vector<int64_t> CheckpointStore::prune(const KeepRule& rule) const {
  rule.validate();
  std::vector<int64_t> old = survey().complete;
  old.resize(old.size() - std::min(old.size(), static_cast<size_t>(rule.last)));
  std::erase_if(old, [&](int64_t step) { return rule.every > 0 && step % rule.every == 0; });
  for (const int64_t step : old) remove_checkpoint(folder_of(step));
  return old;
}

std::vector<fs::path> CheckpointStore::remove_leftovers() const {
  std::vector<fs::path> leftovers = survey().leftovers;
  for (const fs::path& path : leftovers) fs::is_directory(path) ? remove_unmarked(path) : void(fs::remove(path));
  return leftovers;
}

}  // namespace sgf
