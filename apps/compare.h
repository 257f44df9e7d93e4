// `sgf compare score`, which evaluates the answers of a preference study.
#pragma once

namespace CLI {
class App;
}

namespace sgf {

void add_compare_score(CLI::App& compare);

// Default file names of `sgf compare`; `sgf compare score` looks for them.
constexpr const char* kDefaultStudyPage = "compare.html";
constexpr const char* kDefaultStudyKey = "compare.key.json";

}  // namespace sgf
