#include "sgf/assembly/shipped_model.h"

namespace sgf {

bool is_shipped_model(const std::filesystem::path& folder) {
  return std::filesystem::is_regular_file(folder / kShippedWeights) &&
         std::filesystem::is_regular_file(folder / "config.yaml");
}

}  // namespace sgf
