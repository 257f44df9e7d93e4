// TensorBoard's files of a run: records with checksums, the last of which may be cut short.
#include "fuzz/fuzz_target.h"

#include "tests/training/run/event_records.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "events.out.tfevents";

void read(std::string_view input) {
  const auto records = read_or_refuse(kName, [&] { return testing::read_records(input, kName); });
  if (!records) return;
  must(records->torn_bytes <= input.size(), "no more is torn than there was");
  std::string framed;
  for (const std::string& payload : records->payloads) framed += frame_record(payload);
  must(framed == input.substr(0, input.size() - records->torn_bytes),
       "written again, whole records are the same bytes");
}

const Registered target("event_records", read);

}  // namespace
}  // namespace sgf::fuzz
