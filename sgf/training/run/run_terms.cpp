#include "sgf/training/run/run_terms.h"

#include "sgf/core/error.h"
#include "sgf/files/weight_identity.h"

#include <algorithm>
#include <array>

namespace sgf {
namespace {

namespace fs = std::filesystem;

bool is_own_affair(std::string_view key) {
  constexpr std::array<std::string_view, 4> kKeys{"name", "description", "run.device", "run.threads"};
  return key.starts_with("output.") || std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace

RunTerms config_terms(const Config& config, const std::string& prefix) {
  RunTerms terms;
  for (const KeyHelp& setting : list_keys(config))
    if (!is_own_affair(setting.key)) terms.push_back({prefix + setting.key, setting.default_value});
  return terms;
}

RunTerms source_terms(const std::vector<StartSource>& sources) {
  RunTerms terms;
  for (const StartSource& source : sources)
    terms.push_back({fmt::format("the content of {}", source.key), source.identity});
  return terms;
}

RunTerms checkpoint_terms(const fs::path& checkpoint) {
  SGF_CHECK(fs::is_directory(checkpoint),
            "{}: rank 0 resumes from this checkpoint, but it does not exist on this host; --out must be the same run "
            "folder on all ranks",
            checkpoint.string());
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(checkpoint))
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  std::ranges::sort(files);
  RunTerms terms;
  for (const fs::path& file : files)
    terms.push_back({fmt::format("{} of {}", file.filename().string(), checkpoint.filename().string()),
                     weight_identity(open_tensor_file(file))});
  return terms;
}

}  // namespace sgf
