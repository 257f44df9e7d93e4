// The command of `sgf compare` that reads answers.
#pragma once

namespace CLI {
class App;
}

namespace sgf {

void add_compare_score(CLI::App& compare);

// What `sgf compare` leaves where --out is not given, and `sgf compare score` looks for.
constexpr const char* kDefaultStudyPage = "compare.html";
constexpr const char* kDefaultStudyKey = "compare.key.json";

}  // namespace sgf
