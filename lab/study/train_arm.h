// A run of the study: trained by the loop of `sgf train`, its weights kept in 16 bits.
#pragma once

#include "lab/study/study_arms.h"
#include "sgf/training/run/train_run.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace sgf {

// Refuses a student or teacher that the arm needs and that is not there, before others are computed.
void check_start(const Study& study, const StudyArm& arm);

// Goes on where an earlier start ended; when the run is done, its slow average is kept beside it.
TrainResult train_arm(const Study& study, const StudyArm& arm, const std::string& build, ProgressMode progress,
                      const ProgressOutput& output = {});

// The weight file that the arm is evaluated with; empty for the world itself. Refuses a run that is not done.
std::filesystem::path weights_of_arm(const Study& study, const StudyArm& arm);

// What the kept weights tell of their training: steps, seconds, hashes of what both arms of a pair must share.
nlohmann::json training_facts(const Study& study, const StudyArm& arm);

// The folder of the run's last checkpoint; empty where it is gone.
std::filesystem::path last_state_of(const Study& study, const StudyArm& arm);

// Removes the run's checkpoints: the kept weights stay.
void drop_states(const Study& study, const StudyArm& arm);

}  // namespace sgf
