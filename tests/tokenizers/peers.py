"""The trusted libraries, set up to do what ours does."""

import json
from typing import Any

import tiktoken
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from clearformer.tokenizers import BPETokenizer, Tokenizer


def train_hugging_face_bpe(
    text: str, vocab_size: int, special_tokens: list[str] | None = None, pattern: str | None = None
) -> tokenizers.Tokenizer:
    """A byte-level BPE tokenizer of Hugging Face, trained on the text as one sequence."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if pattern is not None:
        split = pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    options = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), "show_progress": False}
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=special_tokens or [], **options)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def train_hugging_face_wordpiece(text: str, vocab_size: int) -> tokenizers.Tokenizer:
    """A WordPiece tokenizer of Hugging Face with BERT's pre-tokenizer, trained on the text."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def as_tiktoken(tokenizer: BPETokenizer) -> tiktoken.Encoding:
    """The same vocabulary in tiktoken, which needs no merges: it takes the id of a token for its rank."""
    return tiktoken.Encoding(
        "ours", pat_str=tokenizer.pattern, mergeable_ranks=tokenizer.vocab, special_tokens=tokenizer.special_tokens
    )


def as_hugging_face(tokenizer: Tokenizer) -> tokenizers.Tokenizer:
    """What Hugging Face reads from the file of ours, with special tokens read as plain text."""
    theirs = tokenizers.Tokenizer.from_str(tokenizer.to_json())
    theirs.encode_special_tokens = True
    return theirs


def as_json(tokenizer: tokenizers.Tokenizer) -> Any:
    """What Hugging Face would write to a file."""
    return json.loads(tokenizer.to_str())
