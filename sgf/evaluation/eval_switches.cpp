#include "sgf/evaluation/eval_switches.h"

namespace sgf {

nlohmann::json clip_switches(const EvalSwitches& switches) {
  nlohmann::json shown{{"protocol", enum_name(switches.protocol)}, {"fps_where_none", switches.fps}};
  if (switches.protocol == EvalProtocol::kWorld) return shown;
  shown["clip_float16"] = switches.clip_in_half;
  if (switches.protocol != EvalProtocol::kVbenchLong) return shown;
  shown["clip_seconds"] = switches.clip_seconds;
  shown["reencode"] = switches.reencodes;
  return shown;
}

nlohmann::json to_json(const EvalSwitches& switches) {
  nlohmann::json shown = clip_switches(switches);
  if (switches.protocol == EvalProtocol::kWorld) return shown;
  shown["static_filter"] = switches.static_filter;
  if (switches.static_filter) shown["static_clips"] = switches.static_clips;
  if (switches.protocol == EvalProtocol::kVbenchLong) shown["slow_fast"] = switches.slow_fast;
  return shown;
}

}  // namespace sgf
