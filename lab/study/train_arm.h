// Trains a run of the study with the loop of `sgf train` and stores its weights in 16 bits.
#pragma once

#include "lab/study/study_arms.h"
#include "sgf/training/run/train_run.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace sgf {

// Throws if a student or teacher of the arm is missing, before anything is computed.
void check_start(const Study& study, const StudyArm& arm);

// Resumes an earlier start; stores the EMA beside the run when it is done.
TrainResult train_arm(const Study& study, const StudyArm& arm, const std::string& build, ProgressMode progress,
                      const ProgressOutput& output = {});

// The weight file for the arm's evaluation; empty for the truth arm. Throws if the run is not done.
std::filesystem::path weights_of_arm(const Study& study, const StudyArm& arm);

// The training facts in the stored weights: steps, seconds, and hashes that must be equal for both arms of a pair.
nlohmann::json training_facts(const Study& study, const StudyArm& arm);

// The folder of the run's last checkpoint; empty if it was removed.
std::filesystem::path last_state_of(const Study& study, const StudyArm& arm);

// Removes the run's checkpoints; the stored weights stay.
void drop_states(const Study& study, const StudyArm& arm);

}  // namespace sgf
