// Whether the parts of an arm's file have the kinds that reports take them for, whoever made it. Torch-free.
#pragma once

#include "lab/study/study_arms.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgf {

// Refuses a part of another kind, and a trained arm that tells nothing of its training.
void check_arm_kinds(const StudyArm& arm, const nlohmann::json& json, const std::filesystem::path& path);

}  // namespace sgf
