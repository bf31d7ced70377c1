"""Tokenizers against Hugging Face, tiktoken and a version of ten lines: python -m benchmarks.tokenizers.

All run with their default settings: Hugging Face's trainer uses every core, ours one. *First* is a tokenizer that has
encoded nothing yet, *again* one that has encoded this text before.
"""

import runpy
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tiktoken
import tokenizers as hugging_face
from tokenizers import models, pre_tokenizers, trainers

from benchmarks.harness import Line, compare, main, peak_memory, quantity
from clearformer.tokenizers import BPETokenizer, UnigramTokenizer, WordPieceTokenizer
from linebyline.corpora import docstrings_split, pydoc_topics

TEN_LINES = Path(__file__).parents[1] / "tests" / "tokenizers" / "ten_line_bpe.py"
NOTE = (
    "*First* is a tokenizer that has encoded nothing yet, *again* one that has seen the text and remembers its words; "
    "tiktoken keeps nothing, and is the same both times. Memory is what training needs beside the text."
)


def their_bpe(text: str, vocab_size: int) -> hugging_face.Tokenizer:
    """Byte-level BPE of Hugging Face."""
    tokenizer = hugging_face.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def their_unigram(text: str, vocab_size: int) -> hugging_face.Tokenizer:
    """Unigram of Hugging Face, on the same words as ours."""
    tokenizer = hugging_face.Tokenizer(models.Unigram())
    words = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(words)
    trainer = trainers.UnigramTrainer(vocab_size=vocab_size, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def training() -> Iterator[Line]:
    """Training of byte-level BPE and of Unigram."""
    topics, docstrings = pydoc_topics(), docstrings_split()[0]
    for size in (1_000, 4_000):
        ours, theirs = (lambda make=make, size=size: make(topics, size) for make in (BPETokenizer.train, their_bpe))
        yield compare(f"train BPE, pydoc topics, {size:,}", "Hugging Face", ours, theirs, rounds=5)
    ten_line_bpe: Callable[[str, int], object] = runpy.run_path(str(TEN_LINES))["ten_line_bpe"]
    work = "train BPE, pydoc topics, 1,000"
    naive = lambda: ten_line_bpe(topics, 1_000)  # noqa: E731
    yield compare(work, "ten-line version", lambda: BPETokenizer.train(topics, 1_000), naive, rounds=1)
    ours, theirs = (lambda make=make: make(docstrings, 1_000) for make in (UnigramTokenizer.train, their_unigram))
    yield compare("train Unigram, docstrings, 1,000", "Hugging Face", ours, theirs, rounds=1)
    memory = peak_memory(lambda: BPETokenizer.train(topics, 4_000)) / len(topics.encode())
    yield quantity("train BPE, pydoc topics, 4,000, memory", memory, "times the text")


def encoding_of(work: str, trained: Any, text: str, rounds: int = 3) -> Iterator[Line]:
    """Encoding by tokenizers of ours and of Hugging Face that were read from the same file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        trained.save(path)
        ours = [type(trained).load(path) for _ in range(rounds)]
        theirs = [hugging_face.Tokenizer.from_file(str(path)) for _ in range(rounds + 1)]
    seen = theirs.pop()
    assert trained.encode(text) == seen.encode(text).ids
    first = (lambda: ours.pop().encode(text)), (lambda: theirs.pop().encode(text))
    again = (lambda: trained.encode(text)), (lambda: seen.encode(text))
    for time, calls in (("first", first), ("again", again)):
        yield compare(f"encode, {work}, {time}", "Hugging Face", *calls, rounds=rounds)


def encoding() -> Iterator[Line]:
    """Encoding by all three kinds, and by tiktoken with our merges."""
    topics, docstrings = pydoc_topics(), docstrings_split()[0][:1_000_000]
    trained = BPETokenizer.train(topics, 4_000)
    yield from encoding_of("BPE, pydoc topics, 4,000", trained, topics, rounds=7)
    tik = tiktoken.Encoding("ours", pat_str=trained.pattern, mergeable_ranks=trained.vocab, special_tokens={})
    calls = (lambda: trained.encode(topics)), (lambda: tik.encode_ordinary(topics))
    yield compare("encode, BPE, pydoc topics, 4,000, again", "tiktoken", *calls, rounds=7)
    for name, kind in (("Unigram", UnigramTokenizer), ("WordPiece", WordPieceTokenizer)):
        yield from encoding_of(f"{name}, docstrings, 4,000", kind.train(docstrings, 4_000), docstrings)


PARTS = {"training": training, "encoding": encoding}

if __name__ == "__main__":
    main("tokenizers", PARTS, ["regex", "tokenizers", "tiktoken"], NOTE)
