// `sgf inspect FILE|DIR…`: what a weight file is and whether it is complete.
#include "apps/commands.h"
#include "apps/own_places.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/error.h"
#include "sgf/files/checkpoint_hashes.h"
#include "sgf/text/umt5_names.h"
#include "sgf/vae/vae_report.h"
#include "sgf/weights/lora_file.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_report.h"
#include "sgf/weights/weight_scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace sgf {
namespace {

using nlohmann::json;

struct InspectArgs {
  std::vector<std::string> paths;
  bool json = false;
  bool scan = false;
  bool keys = false;
};

struct Inspected {
  TensorFile file;
  WeightReport report;
  std::vector<NonFinite> non_finite;  // empty where no scan was asked for
};

Inspected inspect(const std::filesystem::path& path, const InspectArgs& args) {
  Inspected inspected{.file = open_tensor_file(path), .report = {}, .non_finite = {}};
  check_hashes(inspected.file, path, args.scan ? HashCheck::kAll : HashCheck::kHeader);
  inspected.report = report_weights(inspected.file, path);
  if (args.scan) inspected.non_finite = scan_weights(inspected.file);
  return inspected;
}

void print_row(std::string_view label, std::string_view text) { say("  {:<13} {}", label, text); }

// A list that may be long: its first names and how many more there are.
void print_list(std::string_view label, const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  if (names.empty()) return;
  print_row(label, fmt::format("{}:", names.size()));
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) print_row("", shown_name(names[i]));
  if (names.size() > kShown) print_row("", fmt::format("and {} more; --json lists all", names.size() - kShown));
}

std::string dtypes_of(const WeightReport& report) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : report.dtypes) parts.push_back(fmt::format("{} {}", count.tensors, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string architecture_of(const DitReport& dit) {
  if (!dit.config) return fmt::format("unknown: {}", dit.config_source);
  const DitConfig& c = *dit.config;
  const std::string heads = c.num_heads > 0 ? fmt::format("{}", c.num_heads) : "unknown";
  return fmt::format("{}: dim {}, ffn {}, layers {}, heads {}, channels {} to {} (from {})",
                     dit.preset.empty() ? "Wan DiT" : dit.preset, c.dim, c.ffn_dim, c.num_layers, heads, c.in_dim,
                     c.out_dim, dit.config_source);
}

std::string verdict_of(const RoleReport& role) {
  if (!role.dit) return "";
  if (!role.dit->unsupported.empty()) return "unsupported";
  return role.dit->is_whole() ? "complete" : "incomplete";
}

void print_dit(const RoleReport& role, bool is_only) {
  const DitReport& dit = *role.dit;
  if (!is_only) say("  {}", shown_name(shown_role(role.name)));
  print_row("architecture", architecture_of(dit));
  if (!dit.unsupported.empty()) print_row("unsupported", shown_name(dit.unsupported));
  print_list("missing", dit.missing);
  print_list("unexpected", dit.unexpected);
  print_list("wrong shape", dit.mismatched);
}

void print_umt5(const TensorFile& file) {
  const std::optional<Umt5Index> umt5 = find_umt5(file);
  if (!umt5) return;
  print_row("architecture", describe(umt5->config));
  print_list("missing", umt5->missing);
  print_list("unexpected", umt5->unexpected);
  print_list("wrong shape", umt5->mismatched);
  print_row("verdict", umt5->is_whole() && umt5->unexpected.empty() ? "complete" : "incomplete");
}

void print_vae(const TensorFile& file) {
  const std::optional<VaeReport> vae = report_vae(file);
  if (!vae) return;
  print_row("architecture", shown_name(architecture_of(*vae)));
  print_list("missing", vae->faults.missing);
  print_list("unexpected", vae->faults.unexpected);
  print_list("wrong shape", vae->faults.mismatched);
  print_row("verdict", vae->is_whole() ? "complete" : "incomplete");
}

void print_lora(const TensorFile& file, const std::filesystem::path& path) {
  if (!is_lora(file)) return;
  try {
    const LoraFile lora = open_lora(path);
    print_row("content", shown_name(describe(lora)));
    print_row("alpha", lora.alpha_from);
    print_list("not used", lora.left_out);
    print_row("verdict", "complete; merge it with --lora of sgf generate or sgf convert");
  } catch (const Error& error) {
    print_row("unsupported", error.what());
  }
}

// The LoRA, or why it cannot be merged.
json lora_json(const std::filesystem::path& path) {
  try {
    return to_json(open_lora(path));
  } catch (const Error& error) {
    return {{"problem", error.what()}};
  }
}

void print_roles(const WeightReport& report) {
  Table table({"  role", "tensors", "parameters", "EMA", "names", "wrappers", "verdict"});
  for (const RoleReport& role : report.roles) {
    table.add({"  " + shown_name(shown_role(role.name)), shown_count(role.tensors), shown_count(role.parameters),
               role.is_ema ? "yes" : "no", role.dit ? role.dit->naming : "",
               role.dit ? fmt::format("{}", fmt::join(role.dit->prefixes, " ")) : "", verdict_of(role)});
  }
  table.print();
}

void print_scan(const std::vector<NonFinite>& found) {
  std::vector<std::string> lines;
  for (const NonFinite& tensor : found) {
    lines.push_back(fmt::format("{}: {} NaN, {} infinite", tensor.name, tensor.nan, tensor.infinite));
  }
  if (lines.empty()) print_row("NaN, infinite", "none");
  print_list("NaN, infinite", lines);
}

void print_keys(const TensorFile& file) {
  Table table({"  tensor", "dtype", "shape"});
  for (const TensorEntry& entry : file.entries) {
    table.add({"  " + shown_name(entry.name), std::string(name_of(entry.dtype)),
               fmt::format("[{}]", fmt::join(entry.shape, ", "))});
  }
  table.print();
}

void print_text(const Inspected& inspected, const InspectArgs& args) {
  const WeightReport& report = inspected.report;
  say("{}", report.path);
  print_row("format", fmt::format("{}, {}", report.format, shown_bytes(report.bytes)));
  if (!report.content.empty()) print_row("content", shown_name(report.content));
  print_row("written by", shown_name(report.written_by));
  print_row("parameters", fmt::format("{} in {} tensors", shown_count(report.parameters), shown_count(report.tensors)));
  print_row("dtypes", dtypes_of(report));
  if (!report.problem.empty()) print_row("problem", report.problem);
  if (!report.hint.empty()) print_row("note", report.hint);
  for (const RoleReport& role : report.roles) {
    if (role.dit) print_dit(role, report.roles.size() == 1);
  }
  print_umt5(inspected.file);
  print_vae(inspected.file);
  print_lora(inspected.file, report.path);
  std::vector<std::string> shared;
  for (const auto& group : report.shared) shared.push_back(fmt::format("{}", fmt::join(group, " = ")));
  print_list("share bytes", shared);
  print_list("not in index", report.unindexed);
  if (args.scan) print_scan(inspected.non_finite);
  print_roles(report);
  if (args.keys) print_keys(inspected.file);
}

json keys_json(const TensorFile& file) {
  json keys = json::array();
  for (const TensorEntry& entry : file.entries) {
    keys.push_back({{"name", entry.name}, {"dtype", name_of(entry.dtype)}, {"shape", entry.shape}});
  }
  return keys;
}

void print_json(const json& line) {
  say_json(line);  // names need not be UTF-8
  std::fflush(stdout);
}

void print_as_json(const Inspected& inspected, const InspectArgs& args) {
  json line = to_json(inspected.report);
  if (const std::optional<Umt5Index> umt5 = find_umt5(inspected.file)) line["umt5"] = to_json(*umt5);
  if (const std::optional<VaeReport> vae = report_vae(inspected.file)) line["vae"] = to_json(*vae);
  if (is_lora(inspected.file)) line["lora"] = lora_json(inspected.report.path);
  if (args.keys) line["keys"] = keys_json(inspected.file);
  if (args.scan) {
    line["non_finite"] = json::array();
    for (const NonFinite& tensor : inspected.non_finite) {
      line["non_finite"].push_back({{"name", tensor.name}, {"nan", tensor.nan}, {"infinite", tensor.infinite}});
    }
  }
  print_json(line);
}

// Whether the file could be read, is of a format known here, and the scan found nothing. A bad file does not keep the
// others from being looked at.
bool inspect_one(const std::filesystem::path& path, const InspectArgs& args) {
  try {
    const Inspected inspected = inspect(path, args);
    args.json ? print_as_json(inspected, args) : print_text(inspected, args);
    return inspected.report.is_readable && inspected.non_finite.empty();
  } catch (const Error& error) {
    if (args.json) print_json({{"file", path.string()}, {"error", error.what()}});
    warn("{}", error.what());
    return false;
  }
}

std::vector<std::filesystem::path> files_of(const std::string& path) {
  try {
    return list_weight_files(path);
  } catch (const Error&) {
    return {path};  // opening it will say why
  }
}

void print_place(const std::string& path, const OwnPlace& place, const InspectArgs& args) {
  if (args.json) {
    json line{{"file", path}, {"content", place.content}, {"problem", place.problem}};
    for (const auto& [name, fact] : place.facts) line[name] = fact;
    return print_json(line);
  }
  say("{}", path);
  print_row("content", place.content);
  for (const auto& [name, fact] : place.facts) print_row(name, shown_name(fact));
  if (!place.problem.empty()) print_row("problem", place.problem);
}

// What is ours says what it is, and then what its weights are.
bool inspect_path(const std::string& path, const InspectArgs& args) {
  const std::optional<OwnPlace> place = find_own_place(path);
  if (place) print_place(path, *place, args);
  bool all_good = !place || place->problem.empty();
  if (place && !place->weights) return all_good;
  for (const std::filesystem::path& file : files_of(place ? place->weights->string() : path))
    all_good = inspect_one(file, args) && all_good;
  return all_good;
}

int run_inspect(const InspectArgs& args) {
  bool all_good = true;
  for (const std::string& path : args.paths) all_good = inspect_path(path, args) && all_good;
  return all_good ? 0 : 1;
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* command = app.add_subcommand("inspect", "Describe a weight file: network, origin, missing tensors");
  command
      ->add_option("paths", args->paths,
                   "weight files (.safetensors, .pt, .pth), folders of them, and files and folders written by sgf")
      ->type_name("PATH")
      ->required();
  command->add_flag("--scan", args->scan,
                    "check all values for NaN and infinity, and compare hashes where the file has them");
  command->add_flag("--keys", args->keys, "list all tensors");
  command->add_flag("--json", args->json, "results as JSON, one object per file");
  command->footer(
      "Examples:\n"
      "  sgf inspect model.safetensors\n"
      "  sgf inspect --scan --json Wan2.1-T2V-1.3B\n\n"
      "Only the index is read unless --scan is given, and code in a file is never executed.\n\n"
      "Exit codes: 0 readable; 1 a file cannot be read, is damaged, is a checkpoint of a newer format, or the scan "
      "found "
      "NaN or infinity.");
  command->callback([args] { exit_with(run_inspect(*args)); });
}

}  // namespace sgf
