// facts.json of a run: where its weights came from.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/assembly/start_sources.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "facts.json";

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  const auto sources = read_or_refuse(kName, [&] { return read_start_sources(path); });
  if (!sources || sources->empty()) return;
  const nlohmann::json written{{{"sources", to_json(*sources)}}};
  must(to_json(read_start_sources(scratch_file(kName, written.dump()))) == to_json(*sources),
       "written and read again, sources are equal");
}

const Registered target("run_facts", read);

}  // namespace
}  // namespace sgf::fuzz
