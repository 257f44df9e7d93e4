#include "sgf/text/wan_text_encoder.h"

#include "sgf/core/error.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensors.h"
#include "sgf/files/weight_identity.h"
#include "sgf/text/cached_prompt_encoder.h"
#include "sgf/text/prompt_cleaning.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace sgf {
namespace {

std::unique_ptr<PromptEncoder> make_encoder(const WanTextSettings& settings) {
  return std::make_unique<Umt5PromptEncoder>(
      Tokenizer(settings.tokenizer),
      Umt5Encoder(open_tensor_file(settings.encoder), settings.options, Umt5Residence::kLayerByLayer),
      settings.text_len);
}

std::vector<std::string> cleaned_prompts(const std::vector<std::string>& prompts) {
  std::vector<std::string> cleaned;
  for (const std::string& prompt : prompts) cleaned.push_back(clean_prompt(prompt));
  return cleaned;
}

// The beginning of a prompt, cut between characters, for a message.
std::string beginning_of(const std::string& prompt) {
  constexpr size_t kShown = 60;
  if (prompt.size() <= kShown) return prompt;
  size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(prompt[end]) & 0xc0) == 0x80) --end;
  return prompt.substr(0, end) + "...";
}

}  // namespace

Umt5PromptEncoder::Umt5PromptEncoder(Tokenizer tokenizer, Umt5Encoder encoder, int64_t text_len)
    : tokenizer_(std::move(tokenizer)), encoder_(std::move(encoder)), text_len_(text_len) {
  SGF_CHECK(tokenizer_.vocabulary() <= encoder_.config().vocabulary,
            "the tokenizer has {} pieces, but the encoder has embeddings for {}; use files of the same model",
            tokenizer_.vocabulary(), encoder_.config().vocabulary);
}

std::vector<EncodedPrompt> Umt5PromptEncoder::encode(const std::vector<std::string>& cleaned) const {
  std::vector<std::vector<int64_t>> ids;
  std::vector<EncodedPrompt> encoded;
  for (const std::string& prompt : cleaned) {
    Tokens tokens = tokenizer_.encode(prompt, text_len_);
    ids.push_back(std::move(tokens.ids));
    encoded.push_back({.rows = {}, .cut = tokens.cut});
  }
  std::vector<at::Tensor> rows = encoder_.encode(ids);
  for (size_t i = 0; i < rows.size(); ++i) encoded[i].rows = std::move(rows[i]);
  return encoded;
}

WanTextEncoder::WanTextEncoder(std::unique_ptr<PromptEncoder> encoder, at::TensorOptions options, SayWarning warn)
    : encoder_(std::move(encoder)), options_(options), warn_(std::move(warn)) {}

void WanTextEncoder::encode_ahead(const std::vector<std::string>& prompts, const PromptsSeen& seen) const {
  encoder_->encode_ahead(cleaned_prompts(prompts), seen);
}

at::Tensor WanTextEncoder::encode(const std::vector<std::string>& prompts) const {
  const std::vector<std::string> cleaned = cleaned_prompts(prompts);
  const std::vector<EncodedPrompt> encoded = encoder_->encode(cleaned);
  at::Tensor out = at::zeros({static_cast<int64_t>(prompts.size()), text_len(), text_dim()}, options_);
  for (size_t i = 0; i < encoded.size(); ++i) {
    out[static_cast<int64_t>(i)].slice(0, 0, encoded[i].rows.size(0)).copy_(encoded[i].rows);
    if (encoded[i].cut == 0 || !warn_) continue;
    warn_(fmt::format("prompt too long: its last {} tokens exceed the limit of {} and are dropped: {}", encoded[i].cut,
                      text_len(), beginning_of(cleaned[i])));
  }
  return out;
}

std::unique_ptr<PromptEncoder> open_prompt_encoder(const WanTextSettings& settings) {
  SGF_CHECK(settings.text_len >= 1, "text_len must be at least 1, got {}", settings.text_len);
  if (!settings.cache) return make_encoder(settings);
  const TensorFile file = open_tensor_file(settings.encoder);
  const Umt5Index index = index_umt5(file);
  EmbeddingSource source{.encoder = weight_identity(file),
                         .tokenizer = sha256_of_file(settings.tokenizer),
                         .text_len = settings.text_len,
                         .dtype = std::string(name_of(settings.options.dtype().toScalarType())),
                         .device = settings.options.device().is_cuda() ? "cuda" : "cpu"};
  return std::make_unique<CachedPromptEncoder>(std::move(source), index.config.dim,
                                               EmbeddingCache(*settings.cache, settings.warn, settings.cache_use),
                                               [settings] { return make_encoder(settings); });
}

std::unique_ptr<TextEncoder> open_wan_text_encoder(const WanTextSettings& settings) {
  return std::make_unique<WanTextEncoder>(open_prompt_encoder(settings), settings.options, settings.warn);
}

}  // namespace sgf
