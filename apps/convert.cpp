// `sgf convert IN OUT`: other names, another element type, another container.
#include "sgf/weights/convert.h"
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/weights/lora_file.h"
#include "sgf/weights/weight_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace sgf {
namespace {

struct ConvertArgs {
  std::string input;
  std::string output;
  std::string names = "wan";
  std::string dtype = "keep";
  std::string role;
  std::vector<std::string> loras;
  int64_t threads = 0;
  bool overwrite = false;
  bool json = false;
};

const std::map<std::string, std::optional<DType>>& dtypes() {
  static const std::map<std::string, std::optional<DType>> all{
      {"keep", std::nullopt}, {"float32", DType::kF32}, {"bfloat16", DType::kBF16}, {"float16", DType::kF16}};
  return all;
}

ConvertRequest request_of(const ConvertArgs& args, bool has_role) {
  ConvertRequest request;
  request.input = args.input;
  request.output = args.output;
  request.names = enum_from_name<ConvertNames>(args.names).value();
  request.dtype = dtypes().at(args.dtype);
  if (has_role) request.role = args.role == "(bare)" ? "" : args.role;
  request.overwrite = args.overwrite;
  for (const std::string& lora : args.loras) request.loras.push_back(parse_lora_use(lora));
  return request;
}

void print_json(const ConvertArgs& args, const ConvertResult& result) {
  const nlohmann::json line{{"file", args.output},
                            {"tensors", result.tensors},
                            {"bytes", result.bytes},
                            {"dit", result.is_dit},
                            {"role", result.role},
                            {"carried", result.carried},
                            {"left_out", result.left_out},
                            {"missing", result.missing},
                            {"no_tensors", result.no_tensors},
                            {"flattened", result.is_flattened},
                            {"merged", result.merged},
                            {"hint", result.hint}};
  say_json(line);
}

// The first names of a list that may be long.
std::string first_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  const size_t shown = std::min(names.size(), kShown);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(shown);
  const std::string text = shown_name(fmt::format("{}", fmt::join(names.begin(), end, ", ")));
  return shown < names.size() ? fmt::format("{} and {} more; --json lists all", text, names.size() - shown) : text;
}

void print_text(const ConvertArgs& args, const ConvertResult& result) {
  say("{}: {} tensors, {}", args.output, shown_count(result.tensors), shown_bytes(result.bytes));
  if (result.is_dit) say("  the DiT under {}, names {}", shown_name(shown_role(result.role)), args.names);
  if (!args.loras.empty())
    say("  {} weights changed by {}", result.merged, shown_name(fmt::format("{}", fmt::join(args.loras, ", "))));
  if (!result.left_out.empty()) {
    std::vector<std::string> roles;
    for (const std::string& role : result.left_out) roles.push_back(shown_name(shown_role(role)));
    say("  not converted: {}; --role NAME takes one of these", fmt::join(roles, ", "));
  }
  if (!result.carried.empty()) {
    say("  {} tensors that are not part of the DiT were copied unchanged, the first is {}", result.carried.size(),
        shown_name(result.carried.front()));
  }
  if (!result.missing.empty()) {
    say("  {} weights of the DiT are missing: {}", result.missing.size(), first_of(result.missing));
  }
  if (!result.hint.empty()) say("  the input is {}", result.hint);
  if (result.is_flattened && !result.is_dit) say("  nested dicts were flattened to dotted names");
  if (!result.no_tensors.empty()) {
    say("  {} values that are not tensors were left out: {}", result.no_tensors.size(), first_of(result.no_tensors));
  }
}

}  // namespace

void add_convert(CLI::App& app) {
  auto args = std::make_shared<ConvertArgs>();
  CLI::App* command = app.add_subcommand("convert", "Convert a weight file: tensor names, element type, file format");
  command->add_option("input", args->input, "weight file or folder")->type_name("PATH")->required();
  command->add_option("output", args->output, "file to write: .safetensors, .pt or .pth")
      ->type_name("FILE")
      ->required();
  command->add_option("--names", args->names, "tensor names to write: official (wan), diffusers, or unchanged (keep)")
      ->check(CLI::IsMember({"wan", "diffusers", "keep"}))
      ->capture_default_str();
  command->add_option("--dtype", args->dtype, "element type of floating-point tensors")
      ->check(CLI::IsMember({"keep", "float32", "bfloat16", "float16"}))
      ->capture_default_str();
  CLI::Option* role = command
                          ->add_option("--role", args->role,
                                       "network to take from a checkpoint of several: generator_ema, generator, critic")
                          ->type_name("NAME");
  suggest_words(*role, {"generator_ema", "generator", "critic"});
  add_loras(*command, args->loras);
  add_threads(*command, args->threads, kAllCores);
  command->add_flag("--overwrite,--force", args->overwrite,
                    "overwrite an existing output; --force is its earlier name");
  command->add_flag("--json", args->json, "result as one JSON object");
  command->footer(
      "Examples:\n"
      "  sgf convert model.pt model.safetensors --dtype bfloat16\n"
      "  sgf convert checkpoint.pt ema.safetensors --role generator_ema\n"
      "  sgf convert longlive_base.pt longlive.safetensors --lora lora.pt\n\n"
      "With --names keep every tensor of the file is copied: nested dicts are flattened to dotted names "
      "(generator_ema.w), and values that are not tensors (a step, a learning rate) are left out and listed.");
  command->callback([args, role] {
    use_threads(args->threads);
    const ConvertResult result = convert_weights(request_of(*args, role->count() > 0));
    args->json ? print_json(*args, result) : print_text(*args, result);
  });
}

}  // namespace sgf
