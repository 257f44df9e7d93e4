#include "sgf/training/run/run_samples.h"

#include "sgf/core/error.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/sample_files.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPromptsFile = "prompts.txt";

void write_lines(const fs::path& path, const std::vector<std::string>& lines) {
  AtomicFile file(path);
  for (const std::string& line : lines) file.write(line + '\n');
  file.commit();
}

std::vector<fs::path> sample_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && fs::exists(entry.path() / kPromptsFile)) folders.push_back(entry.path());
  std::ranges::sort(folders, std::greater<>());
  return folders;
}

std::vector<ReportStrip> strips_of(const fs::path& folder) {
  std::vector<ReportStrip> strips;
  const std::vector<std::string> prompts = read_prompts(folder / kPromptsFile);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const fs::path picture = folder / fmt::format("{}.png", i);
    if (!fs::exists(picture)) continue;
    strips.push_back({fmt::format("{}: {}", folder.filename().string(), prompts[i]),
                      std::string(MappedFile::open(picture)->text())});
  }
  return strips;
}

}  // namespace

std::vector<ReportStrip> write_samples(const fs::path& folder, int64_t step, const Stage& stage,
                                       const Conditioning& surroundings, uint64_t seed) {
  const fs::path place = folder / fmt::format("step_{:08}", step);
  fs::create_directories(place);
  const at::Tensor text = surroundings.text->encode(surroundings.sample_prompts);
  const at::Tensor latents = stage.sample(text, seed);
  for (int64_t i = 0; i < latents.size(0); ++i) {  // one by one: pictures are far larger than latents
    const at::Tensor video = surroundings.codec->decode(latents.narrow(0, i, 1))[0];
    write_sample(place / std::to_string(i), video.to(at::kFloat).clamp(0, 1).cpu());
  }
  write_lines(place / kPromptsFile, surroundings.sample_prompts);
  return strips_of(place);
}

std::vector<ReportStrip> read_samples(const fs::path& folder, int64_t steps) {
  std::vector<ReportStrip> strips;
  for (const fs::path& place : sample_folders(folder)) {
    if (steps-- == 0) break;
    std::ranges::move(strips_of(place), std::back_inserter(strips));
  }
  return strips;
}

}  // namespace sgf
