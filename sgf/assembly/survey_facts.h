// What a survey says of a file: size, types, faults. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/weights/weight_report.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Of a folder, its files together; 0 for a pipe.
uint64_t bytes_of(const std::filesystem::path& path);
uint64_t bytes_of(const TensorFile& file);

std::string dtypes_of(const TensorFile& file);  // "825 tensors BF16"
std::string size_of(const DitReport& dit);      // a preset, or dim and layers

// The first faults in one line; empty if the weights are complete.
std::string faults_of(const std::vector<std::string>& missing, const std::vector<std::string>& mismatched);
std::string faults_of(const DitReport& dit);

}  // namespace sgf
