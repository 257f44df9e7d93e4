#include "fuzz/fuzz_target.h"

#include <algorithm>
#include <utility>

namespace sgf::fuzz {
namespace {

std::vector<Target>& registered() {
  static std::vector<Target> targets;
  return targets;
}

}  // namespace

const std::vector<Target>& all_targets() {
  std::ranges::sort(registered(), {}, &Target::name);
  return registered();
}

Registered::Registered(std::string name, void (*read)(std::string_view)) {
  registered().push_back({std::move(name), read});
}

void run_target(const Target& target, std::string_view input) {
  try {
    target.read(input);
  } catch (const Error&) {  // a proper answer
  }
}

void must(bool holds, const std::string& promise) {
  if (!holds) throw Finding("broken promise: " + promise);
}

void must_name(const Error& error, std::string_view file) {
  must(std::string_view(error.what()).find(file) != std::string_view::npos,
       fmt::format("an error names the file {}, got: {}", file, error.what()));
}

void do_or_refuse(std::string_view file, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    must_name(error, file);
  }
}

}  // namespace sgf::fuzz
