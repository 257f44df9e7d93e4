#include "sgf/schedule/schedule_settings.h"

#include "sgf/schedule/flow_schedule.h"

namespace sgf {

std::vector<double> ScheduleSettings::timesteps() const {
  return warp_denoising_steps ? FlowSchedule(shift, table_size).warp(denoising_steps) : denoising_steps;
}

}  // namespace sgf
