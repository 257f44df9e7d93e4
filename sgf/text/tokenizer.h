// Prompts to token ids: the Unigram model in the spiece.model of a Wan folder, implemented here. SentencePiece's own
// library shares a global with libtorch (FLAGS_minloglevel) and overwrites libtorch's memory if both are linked.
// Torch-free.
#pragma once

#include "sgf/text/spiece_model.h"
#include "sgf/text/spiece_normalizer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sgf {

inline constexpr int64_t kPadId = 0, kEndId = 1;

struct Tokens {
  std::vector<int64_t> ids;  // the last is kEndId
  int64_t cut = 0;           // ids that did not fit, without the end token

  bool operator==(const Tokens&) const = default;
};

class Tokenizer {
 public:
  // Throws Error if the file is missing or is not a Unigram model with UMT5's end symbol.
  explicit Tokenizer(const std::filesystem::path& model);

  // Encodes cleaned text to at most `limit` ids, including the end token. "</s>" and similar in a prompt are ordinary
  // text: a user who types them means the letters. (Hugging Face's tokenizers read them as symbols.)
  Tokens encode(std::string_view text, int64_t limit) const;

  const std::string& piece(int64_t id) const;
  int64_t vocabulary() const { return static_cast<int64_t>(model_->pieces.size()); }

 private:
  struct Node;

  void index_pieces(const std::string& path);
  std::vector<Node> best_paths(std::string_view normalized) const;
  void add_unknown(std::vector<int64_t>& ids, std::string_view text) const;

  std::unique_ptr<const SpieceModel> model_;  // must not move: the index below points into it
  std::unique_ptr<const SpieceTextNormalizer> normalizer_;
  std::unordered_map<std::string_view, int64_t> index_;  // pieces that can match text
  std::vector<int64_t> byte_ids_;                        // for all 256 bytes, or empty
  size_t longest_ = 0;                                   // bytes of the longest piece
  int64_t unknown_ = 0;
  float lowest_ = 0, highest_ = 0;  // scores of normal pieces
};

}  // namespace sgf
