// Prompt embeddings on disk, so that the large encoder is read once per new prompt.
#pragma once

#include "sgf/text/prompt_encoder.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// What an embedding depends on beside its prompt.
struct EmbeddingSource {
  std::string encoder;    // weight_identity of its file
  std::string tokenizer;  // SHA-256 of its file
  int64_t text_len = 0;
  std::string dtype;   // of the computation
  std::string device;  // "cpu" or "cuda": their last bits differ
};

// SHA-256 over all of it.
std::string embedding_key(const EmbeddingSource& source, const std::string& cleaned);

// $XDG_CACHE_HOME/sgf/prompts, else ~/.cache/sgf/prompts.
std::filesystem::path default_embedding_folder();

// One small safetensors file a prompt: its real rows, with a hash over them. Whatever goes wrong with the folder costs
// time, never the run: it is said once and the prompt encoded anew.
class EmbeddingCache {
 public:
  enum class Use { kReadAndAdd, kReadOnly };

  explicit EmbeddingCache(std::filesystem::path folder, SayWarning warn = {}, Use use = Use::kReadAndAdd);

  // Nothing where there is no entry, or none that can be trusted.
  std::optional<EncodedPrompt> find(const std::string& key) const;

  // `prompt` is stored too, for whoever looks into the folder. Does nothing where the cache is read only.
  void keep(const std::string& key, const std::string& prompt, const EncodedPrompt& encoded) const;

  std::filesystem::path path_of(const std::string& key) const;

 private:
  void say(const std::string& what) const;

  std::filesystem::path folder_;
  SayWarning warn_;
  Use use_;
};

}  // namespace sgf
