#include "sgf/schedule/schedule_settings.h"

#include "sgf/schedule/flow_schedule.h"

namespace sgf {

namespace {

std::vector<double> warped(const ScheduleSettings& s, const std::vector<double>& steps) {
  return s.warp_denoising_steps ? FlowSchedule(s.shift, s.table_size).warp(steps) : steps;
}

}  // namespace

std::vector<double> ScheduleSettings::timesteps() const { return warped(*this, denoising_steps); }

std::vector<double> ScheduleSettings::first_block_timesteps() const { return warped(*this, first_block_steps); }

}  // namespace sgf
