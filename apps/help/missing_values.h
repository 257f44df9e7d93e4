// Options without a value: the next option must not become the value.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sgf {

// Makes every option of every command refuse a value that begins with "--": `--out --quiet` would write a file named
// --quiet. `--out=--quiet` is accepted.
void refuse_options_as_values(CLI::App& app, const std::vector<std::string>& words);

}  // namespace sgf
