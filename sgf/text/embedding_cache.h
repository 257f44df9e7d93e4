// Prompt embeddings on disk, so that the large encoder is loaded only for new prompts.
#pragma once

#include "sgf/text/prompt_encoder.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// What an embedding depends on besides its prompt.
struct EmbeddingSource {
  std::string encoder;    // weight_identity of its file
  std::string tokenizer;  // SHA-256 of its file
  int64_t text_len = 0;
  std::string dtype;   // computation type
  std::string device;  // "cpu" or "cuda": their last bits differ
};

// SHA-256 over all of these.
std::string embedding_key(const EmbeddingSource& source, const std::string& cleaned);

// $XDG_CACHE_HOME/sgf/prompts, else ~/.cache/sgf/prompts.
std::filesystem::path default_embedding_folder();

// One small safetensors file per prompt: its embedding without padding, and a hash. A problem with the folder costs
// time but never stops a run: a warning is given once and the prompt is encoded again.
class EmbeddingCache {
 public:
  enum class Use { kReadAndAdd, kReadOnly };

  explicit EmbeddingCache(std::filesystem::path folder, SayWarning warn = {}, Use use = Use::kReadAndAdd);

  // Whether there is an entry, valid or not.
  bool has(const std::string& key) const;

  // nullopt if there is no entry, or the entry is invalid.
  std::optional<EncodedPrompt> find(const std::string& key) const;

  // `prompt` is stored too, for people who look into the folder. Does nothing if the cache is read-only.
  void keep(const std::string& key, const std::string& prompt, const EncodedPrompt& encoded) const;

  std::filesystem::path path_of(const std::string& key) const;

 private:
  void say(const std::string& what) const;

  std::filesystem::path folder_;
  SayWarning warn_;
  Use use_;
};

}  // namespace sgf
