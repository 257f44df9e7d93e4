// A reference recording: inputs, settings and expected outputs of one case, computed by another program.
#pragma once

#include "sgf/files/tensor_file.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// `w*.*` are weights, `in.*` inputs, `out.*`, `grad*.*` and names without a dot expected values; metadata values are
// JSON.
class Recording {
 public:
  // Opens the file, and the weight file that it names, if any. Does not read expected values yet.
  static Recording open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::string& kind() const { return kind_; }

  bool has_setting(const std::string& key) const { return settings_.contains(key); }
  const nlohmann::json& setting(const std::string& key) const;
  double number(const std::string& key) const;
  int64_t integer(const std::string& key) const;
  std::string text(const std::string& key) const;

  bool has_input(std::string_view name) const;
  // "x" for `in.x`. Integers keep their type, others become float64.
  at::Tensor input(std::string_view name) const;

  // The file that holds tensors `prefix + name`: this one, or the one named by `weights`.
  const TensorFile& file_with(std::string_view prefix) const;

  // Names of all expected tensors, and reading one: only after the replay.
  std::vector<std::string> expected_names() const;
  at::Tensor expected(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::string kind_;
  nlohmann::json settings_;
  TensorFile file_;
  TensorFile weights_;
};

}  // namespace sgf
