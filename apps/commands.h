// The subcommands of `sgf`. Each function adds a command with its options and the function that runs it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sgf {

void add_verify(CLI::App& app);
void add_inspect(CLI::App& app);
void add_convert(CLI::App& app);
void add_config(CLI::App& app);
void add_bench(CLI::App& app);
void add_eval(CLI::App& app);
void add_train(CLI::App& app);
void add_demo(CLI::App& app);
void add_world(CLI::App& app);
void add_generate(CLI::App& app);
void add_redo(CLI::App& app);
void add_serve(CLI::App& app);
void add_sample(CLI::App& app);
void add_data(CLI::App& app);
void add_pairs(CLI::App& app);
void add_recipe(CLI::App& app);
void add_study(CLI::App& app);
void add_text(CLI::App& app);
void add_vae(CLI::App& app);
void add_plan(CLI::App& app);
void add_doctor(CLI::App& app);
void add_wan(CLI::App& app);
void add_diagnose(CLI::App& app);
void add_compare(CLI::App& app);
void add_strips(CLI::App& app);
void add_completion(CLI::App& app);
void add_help(CLI::App& app);

// Ends the program with this code, without another message.
void exit_with(int code);

// Ends the program with exit code 2, this message and a pointer to the --help of the command.
[[noreturn]] void misused(const std::string& what);

}  // namespace sgf
