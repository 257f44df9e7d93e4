// An earlier file of bench lines, for comparison with new ones. Torch-free.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <vector>

namespace sgf {

class EarlierBench {
 public:
  // Reads JSON lines printed by `sgf bench`. Throws with the number of the first invalid line.
  static EarlierBench read(const std::filesystem::path& path);

  // {"p50_ms": earlier, "ratio": earlier / new} for a timed line if the file has one with the same item, device, dtype
  // and shape (the last such line), else {"note": ...}; null for a line without times.
  nlohmann::json against(const nlohmann::json& line) const;

 private:
  std::filesystem::path path_;
  std::vector<nlohmann::json> lines_;
};

}  // namespace sgf
