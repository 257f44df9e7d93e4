// Checks the types in an arm's file, which may be foreign, before reports use them. Torch-free.
#pragma once

#include "lab/study/study_arms.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgf {

// Throws on a part of the wrong type, and on a trained arm without training facts.
void check_arm_kinds(const StudyArm& arm, const nlohmann::json& json, const std::filesystem::path& path);

}  // namespace sgf
