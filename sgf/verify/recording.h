// A reference recording: inputs, settings and expected outputs of one case, as another program computed them.
#pragma once

#include "sgf/files/tensor_file.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// `w*.*` are weights, `in.*` inputs, `out.*`, `grad*.*` and names without a dot what is expected; metadata values are
// JSON.
class Recording {
 public:
  // Opens the file, and the file of weights beside it where it names one. Nothing expected is read yet.
  static Recording open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::string& kind() const { return kind_; }

  bool has_setting(const std::string& key) const { return settings_.contains(key); }
  const nlohmann::json& setting(const std::string& key) const;
  double number(const std::string& key) const;
  int64_t integer(const std::string& key) const;
  std::string text(const std::string& key) const;

  bool has_input(std::string_view name) const;
  // "x" for `in.x`, float64 or as stored for integers.
  at::Tensor input(std::string_view name) const;

  // The file that holds tensors `prefix + name`: this one, or the one named by `weights`.
  const TensorFile& file_with(std::string_view prefix) const;

  // Names of all expected tensors, and one of them: read it after the replay, never before.
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
