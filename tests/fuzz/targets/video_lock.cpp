// What tells whose a file beside a video is: the order in a lock, which is also that of a PNG folder's sgf-order.json.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/streaming/video_lock.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.lock";
constexpr std::string_view kBeginning = R"({"build":"sgf )";  // of an order that a kill cut

void read(std::string_view input) {
  const auto lock = scratch_file(kName, input);
  const auto order = read_or_refuse(kName, [&] { return order_in_lock(lock); });
  if (!order) return;
  const bool may_be_torn = input.substr(0, kBeginning.size()) == kBeginning.substr(0, input.size());
  must(order->has_value() ? !input.empty() : may_be_torn, "a lock is empty, torn in its order, or has an order");
  if (!*order) return;
  must(find_order(order_text(**order), kName) == *order, "written and read again, an order is equal");
  must(mark_of(**order).size() == 16, "an order has a mark");
}

const Registered target("video_lock", read);

}  // namespace
}  // namespace sgf::fuzz
