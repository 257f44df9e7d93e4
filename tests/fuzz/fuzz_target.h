// A fuzz target: one reader of outside data, and what must hold whatever it is given. An sgf::Error is a proper answer;
// any other exception, a broken promise and everything that a sanitizer reports is a finding.
#pragma once

#include "sgf/core/error.h"

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sgf::fuzz {

struct Target {
  std::string name;  // also of its folders in seeds/ and broken/
  void (*read)(std::string_view input);
};

// All that were linked, by name.
const std::vector<Target>& all_targets();

// One at the top of each file in targets/.
struct Registered {
  Registered(std::string name, void (*read)(std::string_view input));
};

// Lets an Error pass; everything else goes on up.
void run_target(const Target& target, std::string_view input);

// A promise that did not hold. No Error, so that nothing takes it for an answer.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// `promise` says what should have been true: "written and read again, it is equal".
void must(bool holds, const std::string& promise);

void must_name(const Error& error, std::string_view file);

// What `read` gives, or nothing where it refuses the input. An Error must name the file.
template <class Read>
auto read_or_refuse(std::string_view file, const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    must_name(error, file);
    return std::nullopt;
  }
}

// The same without a value.
void do_or_refuse(std::string_view file, const std::function<void()>& act);

}  // namespace sgf::fuzz
