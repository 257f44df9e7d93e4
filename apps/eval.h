// `sgf eval` in two files: the evaluation itself, and what is done with its results.
#pragma once

namespace CLI {
class App;
}

namespace sgf {

void add_eval_table(CLI::App& eval);
void add_eval_export(CLI::App& eval);
void add_eval_import(CLI::App& eval);

}  // namespace sgf
