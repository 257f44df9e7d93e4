// Options whose value was forgotten: the next option must not be taken for it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sgf {

// From here on, an option of any command refuses a word of the command line that begins with "--" as its value:
// `--out --quiet` would write a file of that name. `--out=--quiet` says that it is meant.
void refuse_options_as_values(CLI::App& app, const std::vector<std::string>& words);

}  // namespace sgf
