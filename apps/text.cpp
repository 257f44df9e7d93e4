// `sgf text PROMPT`: a prompt as the network receives it. `sgf text --prompts FILE` fills the cache of
// embeddings, so that training and streaming need no text encoder.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/core/counted.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/tensors.h"
#include "sgf/text/cached_prompt_encoder.h"
#include "sgf/text/prompt_cleaning.h"
#include "sgf/text/tokenizer.h"
#include "sgf/text/wan_text_encoder.h"
#include "sgf/weights/wan_folder.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace sgf {
namespace {

struct TextArgs {
  std::string prompt, prompts_file;
  bool has_prompt = false;
  std::string wan;
  std::string encoder;
  std::string tokenizer;
  std::string cache;
  bool no_cache = false;
  int64_t text_len = 512;
  std::string dtype;
  std::string device = "auto";
  int64_t threads = 0;
  bool json = false;
};

// What is known of a prompt: more, the more files were named.
struct TextReport {
  std::string cleaned;
  std::vector<std::string> pieces;
  std::optional<Tokens> tokens;
  std::optional<EncodedPrompt> encoded;
  std::string cache;  // "hit", "miss" or "off"
};

void take_wan_folder(TextArgs& args) {
  if (args.wan.empty()) return;
  const WanFolder wan(args.wan);
  if (args.tokenizer.empty()) args.tokenizer = wan.tokenizer().string();
  if (args.encoder.empty()) args.encoder = wan.text_encoder().string();
}

WanTextSettings text_settings(const TextArgs& args) {
  const at::Device device = device_from_name(args.device);
  const std::string dtype = args.dtype.empty() ? (device.is_cuda() ? "bfloat16" : "float32") : args.dtype;
  WanTextSettings settings{.encoder = args.encoder,
                           .tokenizer = args.tokenizer,
                           .text_len = args.text_len,
                           .options = at::TensorOptions(device).dtype(scalar_type_from_name(dtype)),
                           .cache = std::nullopt,
                           .warn = [](const std::string& line) { warn("{}", line); }};
  if (!args.no_cache)
    settings.cache = args.cache.empty() ? default_embedding_folder() : std::filesystem::path(args.cache);
  return settings;
}

void encode_prompt(TextReport& report, const TextArgs& args) {
  const WanTextSettings settings = text_settings(args);
  const std::unique_ptr<PromptEncoder> encoder = open_prompt_encoder(settings);
  const auto* cached = dynamic_cast<const CachedPromptEncoder*>(encoder.get());
  report.cache = cached == nullptr ? "off" : cached->holds(report.cleaned) ? "hit" : "miss";
  report.encoded = encoder->encode({report.cleaned})[0];
}

TextReport report_prompt(const TextArgs& args) {
  TextReport report{.cleaned = clean_prompt(args.prompt)};
  if (!args.tokenizer.empty()) {
    const Tokenizer tokenizer(args.tokenizer);
    report.tokens = tokenizer.encode(report.cleaned, args.text_len);
    for (const int64_t id : report.tokens->ids) report.pieces.push_back(tokenizer.piece(id));
  }
  if (!args.encoder.empty()) encode_prompt(report, args);
  return report;
}

void print_report(const TextReport& report, const TextArgs& args) {
  say("cleaned    {}", report.cleaned);
  if (report.tokens) {
    say("tokens     {} of {}, {} cut", report.tokens->ids.size(), args.text_len, report.tokens->cut);
    std::vector<std::string> shown;
    for (size_t i = 0; i < report.pieces.size(); ++i) {
      shown.push_back(fmt::format("{} {}", report.pieces[i], report.tokens->ids[i]));
    }
    say("pieces     {}", fmt::join(shown, ", "));
  }
  if (!report.encoded) return;
  const at::Tensor& rows = report.encoded->rows;
  const at::Tensor wide = rows.to(at::kDouble);
  say("embedding  [{}] {}, mean {:.6g}, std {:.6g}, cache {}", fmt::join(rows.sizes(), ", "),
      name_of(rows.scalar_type()), wide.mean().item<double>(), wide.std(false).item<double>(), report.cache);
}

void print_report_json(const TextReport& report, const TextArgs& args) {
  nlohmann::json line{{"prompt", args.prompt}, {"cleaned", report.cleaned}};
  if (report.tokens) {
    line["ids"] = report.tokens->ids;
    line["pieces"] = report.pieces;
    line["cut"] = report.tokens->cut;
  }
  if (report.encoded) {
    const at::Tensor wide = report.encoded->rows.to(at::kDouble);
    line["embedding"] = {{"shape", report.encoded->rows.sizes().vec()},
                         {"dtype", name_of(report.encoded->rows.scalar_type())},
                         {"mean", wide.mean().item<double>()},
                         {"std", wide.std(false).item<double>()}};
    line["cut"] = report.encoded->cut;
    line["cache"] = report.cache;
  }
  say_json(line);
}

void check_text(const TextArgs& args) {
  if (args.has_prompt == !args.prompts_file.empty())
    misused("pass one prompt as sgf text \"a panda\", or a file of prompts as sgf text --prompts FILE --wan DIR");
  SGF_CHECK(args.encoder.empty() || !args.tokenizer.empty(),
            "--encoder needs its tokenizer; pass --tokenizer spiece.model, or --wan DIR for both");
  if (args.prompts_file.empty()) return;
  SGF_CHECK(!args.encoder.empty(), "--prompts needs a text encoder; pass --wan DIR, or --encoder and --tokenizer");
  SGF_CHECK(!args.no_cache, "--prompts fills the cache of embeddings, so it cannot be combined with --no-cache");
}

// Embeds every prompt of a file that is not in the cache. What the disk does not take would be missing later.
void embed_file(const TextArgs& args) {
  std::vector<std::string> cleaned;
  for (const std::string& prompt : read_prompts(args.prompts_file)) cleaned.push_back(clean_prompt(prompt));
  const WanTextSettings settings = text_settings(args);
  const std::unique_ptr<PromptEncoder> encoder = open_prompt_encoder(settings);
  int64_t encoded = 0;
  encoder->encode_ahead(cleaned, [&](int64_t done, int64_t all) {
    if (done == 0 && all > 0) remark("encoding {} of {} prompts; the others are cached", all, cleaned.size());
    encoded = done;
  });
  const auto& cache = dynamic_cast<const CachedPromptEncoder&>(*encoder);
  const int64_t missing =
      std::ranges::count_if(cleaned, [&](const std::string& prompt) { return !cache.is_on_disk(prompt); });
  const std::string folder = settings.cache->string();
  if (args.json)
    say_json({{"prompts", cleaned.size()}, {"encoded", encoded}, {"not_cached", missing}, {"cache", folder}});
  else
    say("{}: {}, {} encoded now, {} in {}", args.prompts_file, counted(std::ssize(cleaned), "prompt"), encoded,
        missing == 0 ? "all cached" : fmt::format("{} could not be cached", missing), folder);
  exit_with(missing == 0 ? 0 : 1);
}

void run_text(TextArgs args) {
  use_threads(args.threads);
  take_wan_folder(args);
  check_text(args);
  if (!args.prompts_file.empty()) return embed_file(args);
  const TextReport report = report_prompt(args);
  args.json ? print_report_json(report, args) : print_report(report, args);
}

}  // namespace

void add_text(CLI::App& app) {
  auto args = std::make_shared<TextArgs>();
  CLI::App* command = app.add_subcommand("text", "Show the cleaned text, tokens and embedding of a prompt");
  command->footer(
      "Examples:\n"
      "  sgf text \"a panda\"\n"
      "  sgf text \"a panda\" --wan Wan2.1-T2V-1.3B --json\n"
      "  sgf text --prompts prompts.txt --wan Wan2.1-T2V-1.3B --device cuda\n\n"
      "Tokens are shown with --tokenizer or --wan, the embedding with --encoder or --wan.");
  CLI::Option* prompt =
      command->add_option("prompt", args->prompt, "prompt to show")->type_name("TEXT")->check(has_words());
  command
      ->add_option("--prompts", args->prompts_file,
                   "file of prompts, one per line, to encode into the cache before training or streaming")
      ->type_name("FILE")
      ->excludes(prompt);
  command->add_option("--wan", args->wan, "Wan folder, for its text encoder and tokenizer")->type_name("DIR");
  command->add_option("--tokenizer", args->tokenizer, "SentencePiece model, for example spiece.model")
      ->type_name("FILE");
  command->add_option("--encoder", args->encoder, "UMT5 encoder, for example models_t5_umt5-xxl-enc-bf16.pth")
      ->type_name("FILE");
  command->add_option("--text-len", args->text_len, "tokens per prompt; longer prompts are cut")
      ->capture_default_str()
      ->check(positive_number());
  command->add_option("--cache", args->cache, "folder of cached embeddings (default: ~/.cache/sgf/prompts)")
      ->type_name("DIR");
  command->add_flag("--no-cache", args->no_cache, "no reading and writing of cached embeddings");
  command
      ->add_option("--dtype", args->dtype,
                   "element type of the computation (default: bfloat16 on a GPU, float32 on a CPU)")
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
  add_device(*command, args->device);
  add_threads(*command, args->threads, kAllCores);
  command->add_flag("--json", args->json, "result as one JSON object");
  command->callback([args, prompt] {
    args->has_prompt = prompt->count() > 0;
    run_text(*args);
  });
}

}  // namespace sgf
