"""Writes tests/data/text/plain_unigram.model and .json: a small model of the kind that tiny_unigram.model is not (no
bytes to spell with, symbols of the user's, spaces kept, no table of replacements), and ids by the real SentencePiece.

Run with sentencepiece and ftfy installed: python tests/recorders/record_tokenizer.py
"""

import json
import os
import pathlib
import sys

import sentencepiece

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from record_prompt_cleaning import PLAIN  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parents[1] / "data" / "text"


def train():
    corpus = OUT / "corpus.txt"
    readme = (OUT.parent.parent.parent / "README.md").read_text()
    corpus.write_text("\n".join([line for line in PLAIN if line.isprintable() and line.isascii()]) + readme)
    os.chdir(OUT)  # the model keeps the names it was made with
    sentencepiece.SentencePieceTrainer.train(
        input="corpus.txt", model_prefix="plain_unigram", model_type="unigram", vocab_size=500, pad_id=0, eos_id=1,
        unk_id=2, bos_id=-1, normalization_rule_name="identity", remove_extra_whitespaces=False,
        character_coverage=0.99,
        user_defined_symbols=["<extra_id_0>", "panda"], minloglevel=2)
    corpus.unlink()
    (OUT / "plain_unigram.vocab").unlink()


def main():
    train()
    tokenizer = sentencepiece.SentencePieceProcessor(str(OUT / "plain_unigram.model"))
    texts = [text for text in PLAIN if len(text) < 300] + ["pandas and a panda", "<extra_id_0>  <extra_id_1>"]
    # Ties: "s ss" or "ss s"?
    texts += [letter * count for letter in "abcdefghijklmnopqrstuvwxyz.-=" for count in (3, 5)]
    cases = [{"text": text, "ids": tokenizer.encode(text) + [1]} for text in texts]
    (OUT / "plain_unigram.json").write_text(json.dumps({"cases": cases}) + "\n")


if __name__ == "__main__":
    main()
