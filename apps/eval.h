// Commands of `sgf eval` that work on its results: table, export, import.
#pragma once

namespace CLI {
class App;
}

namespace sgf {

void add_eval_table(CLI::App& eval);
void add_eval_export(CLI::App& eval);
void add_eval_import(CLI::App& eval);

}  // namespace sgf
