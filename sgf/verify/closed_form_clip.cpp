#include "sgf/verify/closed_form_clip.h"

#include "sgf/core/error.h"
#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/verify/closed_form_weights.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <optional>

namespace sgf {
namespace {

constexpr int64_t kOrigin = 4096;      // keeps coordinates positive
constexpr int64_t kLargest = 1 << 14;  // limit of a side and of the number of frames

int64_t triangle(int64_t n, int64_t period) {
  const int64_t rest = n % (2 * period);
  return std::abs((rest < 0 ? rest + 2 * period : rest) - period);
}

int64_t noise_byte(int64_t x, int64_t y, int64_t seed) {
  return static_cast<int64_t>(
      splitmix64((static_cast<uint64_t>(seed) << 40) + (static_cast<uint64_t>(x) << 20) + static_cast<uint64_t>(y)) >>
      56);
}

struct ClipPoint {
  int64_t x, y, t, channel;
};

int64_t backdrop_value(const ClipFormula& f, const ClipPoint& p) {
  const int64_t x = p.x + f.pan[0] * p.t + kOrigin, y = p.y + f.pan[1] * p.t + kOrigin;
  return 20 + triangle(2 * x + 17 * p.channel, 61) + triangle(3 * y + x + 23 * p.channel, 47) +
         (noise_byte(x >> 2, y >> 2, f.seed) & 31);
}

std::optional<int64_t> disc_value(const ClipFormula& f, size_t k, const ClipPoint& p) {
  const ClipFormula::Disc& disc = f.discs[k];
  const int64_t dx = p.x - (disc.x + disc.dx * p.t), dy = p.y - (disc.y + disc.dy * p.t);
  if (dx * dx + dy * dy > disc.radius * disc.radius) return std::nullopt;
  return disc.base + 3 * triangle((1 + p.channel) * dx + 2 * dy + kOrigin, 19) +
         (noise_byte((dx + kOrigin) >> 1, (dy + kOrigin) >> 1, f.seed + 100 + static_cast<int64_t>(k)) & 15);
}

std::optional<int64_t> box_value(const ClipFormula& f, size_t k, const ClipPoint& p) {
  const ClipFormula::Box& box = f.boxes[k];
  const int64_t dx = p.x - (box.x + box.dx * p.t), dy = p.y - (box.y + box.dy * p.t);
  if (dx < 0 || dx >= box.width || dy < 0 || dy >= box.height) return std::nullopt;
  return box.base + 2 * triangle(2 * dx + (p.channel + 1) * dy, 29) +
         (noise_byte(dx + kOrigin, (dy + kOrigin) >> 2, f.seed + 200 + static_cast<int64_t>(k)) & 15);
}

uint8_t clip_byte(const ClipFormula& f, const ClipPoint& p) {
  std::optional<int64_t> shape;
  for (size_t k = f.boxes.size(); k-- > 0 && !shape;) shape = box_value(f, k, p);
  for (size_t k = f.discs.size(); k-- > 0 && !shape;) shape = disc_value(f, k, p);
  const int64_t value = (shape ? *shape : backdrop_value(f, p)) + (7 * p.t) % 3;
  return static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255));
}

template <size_t N>
std::array<int64_t, N> row_of_integers(const nlohmann::json& row) {
  return row.get<std::array<int64_t, N>>();
}

ClipFormula formula_from(const nlohmann::json& j) {
  ClipFormula f;
  f.frames = integer_of(j.at("T"));
  f.height = integer_of(j.at("H"));
  f.width = integer_of(j.at("W"));
  f.pan = row_of_integers<2>(j.at("pan"));
  f.seed = integer_of(j.at("seed"));
  for (const nlohmann::json& disc : j.at("discs")) {
    const auto n = row_of_integers<6>(disc);
    f.discs.push_back({n[0], n[1], n[2], n[3], n[4], n[5]});
  }
  for (const nlohmann::json& box : j.at("boxes")) {
    const auto n = row_of_integers<7>(box);
    f.boxes.push_back({n[0], n[1], n[2], n[3], n[4], n[5], n[6]});
  }
  return f;
}

bool has_sane_size(const ClipFormula& f) {
  const auto in_range = [](int64_t size) { return size > 0 && size <= kLargest; };
  return in_range(f.frames) && in_range(f.height) && in_range(f.width);
}

// The part after the last underscore of a file's name: the set of a recording.
std::string ending_of(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  return stem.substr(stem.rfind('_') + 1);
}

// The recording at `path` if it is of kind `clip`.
std::optional<Recording> as_clips(const std::filesystem::path& path) {
  if (path.extension() != ".safetensors" || !path.filename().string().starts_with("clip")) return std::nullopt;
  Recording candidate = Recording::open(path);
  if (candidate.kind() != "clip") return std::nullopt;
  return candidate;
}

}  // namespace

at::Tensor ClipFormula::frame(int64_t t) const {
  const at::Tensor picture = at::empty({height, width, 3}, at::kByte);
  uint8_t* const bytes = picture.data_ptr<uint8_t>();
  at::parallel_for(0, height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y)
      for (int64_t x = 0; x < width; ++x)
        for (int64_t c = 0; c < 3; ++c) bytes[(y * width + x) * 3 + c] = clip_byte(*this, {x, y, t, c});
  });
  return picture;
}

at::Tensor ClipFormula::some_frames(const std::vector<int64_t>& which) const {
  std::vector<at::Tensor> pictures;
  for (const int64_t t : which) {
    SGF_CHECK(t >= 0 && t < frames, "the clip has {} frames, frame {} does not exist", frames, t);
    pictures.push_back(frame(t));
  }
  SGF_CHECK(!pictures.empty(), "expected at least one frame of the clip");
  return at::stack(pictures);
}

at::Tensor ClipFormula::all_frames() const {
  std::vector<int64_t> which;
  for (int64_t t = 0; t < frames; ++t) which.push_back(t);
  return some_frames(which);
}

ClipFormula clip_formula(const Recording& clips, const std::string& name) {
  const nlohmann::json& config = clips.setting("config");
  try {
    ClipFormula formula = formula_from(config.at(name));
    SGF_CHECK_FILE(has_sane_size(formula), clips.path(),
                   "clip {} has {} frames of {}x{}; frames and sides must be between 1 and {}", name, formula.frames,
                   formula.height, formula.width, kLargest);
    return formula;
  } catch (const nlohmann::json::exception& e) {
    fail_in_file(clips.path(), "config lacks the formula of the clip {}: {}", name, e.what());
  }
}

Recording clips_beside(const Recording& recording) {
  const std::filesystem::path folder = std::filesystem::absolute(recording.path()).parent_path();
  std::optional<Recording> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::optional<Recording> candidate = as_clips(entry.path());
    if (!candidate || candidate->text("salt") != recording.text("salt")) continue;
    const bool is_of_the_set = ending_of(entry.path()) == ending_of(recording.path());
    if (!found || is_of_the_set) found = std::move(candidate);
    if (is_of_the_set) break;
  }
  SGF_CHECK_FILE(found.has_value(), recording.path(),
                 "needs a recording of kind `clip` with its salt '{}' in the same folder (clip_*.safetensors)",
                 recording.text("salt"));
  return *found;
}

}  // namespace sgf
