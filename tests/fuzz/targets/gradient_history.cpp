// The gradient norms of a run so far, which its checkpoints hold as JSON: read, written again, and judged by.
#include "fuzz/fuzz_target.h"

#include "sgf/files/strict_json.h"
#include "sgf/training/gradient_watch.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "state.json";

void read(std::string_view input) {
  const auto history = read_or_refuse(kName, [&] { return read_history(parse_strict_json(input, kName), kName); });
  if (!history) return;
  must(read_history(write_history(*history), kName) == *history, "written and read again, it is equal");
  GradientWatch watch({}, *history);
  for (const double norm : {1.0, 1e300}) watch.judge(norm);
  const GradientHistory& judged = watch.history();
  must(judged.applied + judged.skipped == history->applied + history->skipped + 2, "each norm is applied or skipped");
}

const Registered target("gradient_history", read);

}  // namespace
}  // namespace sgf::fuzz
