// A parser callback that watches keys and depth while nlohmann::json builds the document.
#include "sgf/core/strict_json.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace sgf {
namespace {

using Event = nlohmann::json::parse_event_t;

class Guard {
 public:
  Guard(const std::string& source, JsonLimits limits) : source_(source), limits_(limits) {}

  void see(Event event, const nlohmann::json& parsed) {
    count_element(event);
    if (event == Event::object_start || event == Event::array_start) enter(event == Event::array_start);
    if (event == Event::object_end || event == Event::array_end) open_.pop_back();
    if (event == Event::key) see_key(parsed.get_ref<const std::string&>());
  }

 private:
  struct Container {
    bool is_array = false;
    size_t elements = 0;
    std::set<std::string> keys;
  };

  void enter(bool is_array) {
    check(open_.size() < limits_.depth, "core", "{}: JSON nested deeper than {}", source_, limits_.depth);
    open_.push_back({.is_array = is_array, .elements = 0, .keys = {}});
  }

  void count_element(Event event) {
    const bool begins_element = event == Event::value || event == Event::object_start || event == Event::array_start;
    if (!begins_element || open_.empty() || !open_.back().is_array) return;
    check(++open_.back().elements <= limits_.array_length, "core", "{}: a JSON array longer than {}", source_,
          limits_.array_length);
  }

  void see_key(const std::string& key) {
    const bool is_new = open_.back().keys.insert(key).second;
    check(is_new, "core", "{}: the key {} appears twice", source_, in_quotes(key));
  }

  const std::string& source_;
  JsonLimits limits_;
  std::vector<Container> open_;
};

}  // namespace

nlohmann::json parse_strict_json(std::string_view text, const std::string& source, JsonLimits limits) {
  Guard guard(source, limits);
  const auto watch = [&guard](int, Event event, nlohmann::json& parsed) {
    guard.see(event, parsed);
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    fail("core", "{}: not valid JSON: {}", source, in_quotes(error.what()));
  }
}

}  // namespace sgf
