// Files of evaluations: lists of prompts, results of VBench and of sgf eval, earlier bench lines.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/bench/bench_compare.h"
#include "sgf/evaluation/result_table.h"
#include "sgf/evaluation/vbench_exchange.h"
#include "sgf/evaluation/video_list.h"
#include "sgf/files/json_file.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

void read_book(std::string_view input) {
  const char* name = "prompts.json";
  const auto path = scratch_file(name, input);
  const auto book = read_or_refuse(name, [&] { return read_prompt_book(path); });
  if (book) must(!book->prompts.empty(), "a list without prompts is refused");
}

void read_results(std::string_view input) {
  const char* name = "results.json";
  const auto path = scratch_file(name, input);
  read_or_refuse("", [&] { return import_results({path}); });
  const auto result = read_or_refuse(name, [&] { return labelled_result(read_json_file(path), name); });
  if (!result) return;
  do_or_refuse(name, [&] {
    const ResultTable table = tabulate({*result});
    must(!markdown_of(table).empty() && !latex_of(table).empty(), "a table can be shown");
  });
}

void read_bench(std::string_view input) {
  const char* name = "bench.jsonl";
  const auto path = scratch_file(name, input);
  const auto earlier = read_or_refuse(name, [&] { return EarlierBench::read(path); });
  if (!earlier) return;
  const nlohmann::json line{{"item", "step"}, {"device", "cpu"}, {"dtype", "float32"}, {"shape", "x"}, {"p50_ms", 1.0}};
  must(!earlier->against(line).empty(), "a timed line is held against earlier ones, or said to have none");
}

const Registered book_target("prompt_book", read_book);
const Registered results_target("eval_results", read_results);
const Registered bench_target("bench_lines", read_bench);

}  // namespace
}  // namespace sgf::fuzz
