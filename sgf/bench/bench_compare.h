// An earlier file of bench lines, to hold new ones against. Torch-free.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <vector>

namespace sgf {

class EarlierBench {
 public:
  // Reads JSON lines as `sgf bench` prints them. Throws at the first that is none, by its number.
  static EarlierBench read(const std::filesystem::path& path);

  // {"p50_ms": earlier, "ratio": earlier / new} for a timed line whose item, device, dtype and shape it holds, or
  // {"note": ...} where it holds none; null for a line without times. Of several the last counts.
  nlohmann::json against(const nlohmann::json& line) const;

 private:
  std::filesystem::path path_;
  std::vector<nlohmann::json> lines_;
};

}  // namespace sgf
