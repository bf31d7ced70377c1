"""Tokenizers against Hugging Face, tiktoken and the ten-line version: python -m benchmarks.tokenizers.

``python -m benchmarks.tokenizers others`` prints the lines on Unigram and WordPiece alone, and writes nothing.

All run with their default settings: Hugging Face's trainer uses every core, ours one. Both are given the
corpus as one string. As Hugging Face cuts pre-tokens in parallel only for many strings, training is also
compared with its corpus given line by line (pre-tokens then end at line ends: a slightly different result).
"First" is a tokenizer that has encoded nothing yet, "again" one that has encoded this text. tiktoken keeps nothing
between texts, so one tokenizer of its kind stands for both.
"""

import runpy
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import tiktoken
import tokenizers as hugging_face
from tokenizers import decoders, models, pre_tokenizers, trainers

from benchmarks.harness import compare, peak_memory
from benchmarks.lines import Comparison, Line, Quantity
from benchmarks.records import machine, machine_line, record
from clearformer.tokenizers import BPETokenizer, UnigramTokenizer, WordPieceTokenizer
from clearformer.tokenizers.unigram import UNKNOWN
from linebyline.corpora import docstrings_split, pydoc_topics, standard_library_source

ORACLE = Path(__file__).parents[1] / "tests" / "tokenizers" / "ten_line_bpe.py"
NOTE = (
    "*First* is a tokenizer that has encoded nothing yet, *again* one that has seen the text and remembers its words; "
    "tiktoken keeps nothing, and is the same both times. "
    "Memory is what training needs beside the text, in sizes of the text."
)
PACKAGES = ["regex", "tokenizers", "tiktoken"]


def train_hugging_face(sequences: list[str], vocab_size: int) -> hugging_face.Tokenizer:
    """Byte-level BPE of Hugging Face with its default settings and no progress bar."""
    tokenizer = hugging_face.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(sequences, trainer)
    return tokenizer


def training(name: str, text: str, rounds: int) -> Iterator[Comparison]:
    """Training at three vocabulary sizes, the peer given one string or one string a line."""
    lines = text.splitlines(keepends=True)
    for vocab_size in (1_000, 4_000, 16_000):
        for peer, sequences, target in (
            ("Hugging Face", [text], 1.0),
            ("Hugging Face, line by line", lines, None),
        ):
            yield compare(
                f"train BPE, {name}, {vocab_size:,}",
                peer,
                partial(BPETokenizer.train, text, vocab_size),
                partial(train_hugging_face, sequences, vocab_size),
                rounds=rounds,
                target=target,
            )


def against_ten_lines(text: str) -> Iterator[Comparison]:
    """Training against the version that counts again after each merge."""
    ten_line_bpe: Callable[[str, int], object] = runpy.run_path(str(ORACLE))["ten_line_bpe"]
    yield compare(
        "train BPE, pydoc topics, 1,000",
        "ten-line version",
        lambda: BPETokenizer.train(text, 1_000),
        lambda: ten_line_bpe(text, 1_000),
        rounds=1,
        target=200.0,
    )


def encoding(name: str, text: str, vocab_size: int, rounds: int) -> Iterator[Comparison]:
    """Encoding by tokenizers that have encoded nothing yet, and by those that have seen the text."""
    trained = BPETokenizer.train(text, vocab_size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        trained.save(path)
        ours = [BPETokenizer.load(path) for _ in range(2 * rounds + 1)]
        theirs = [hugging_face.Tokenizer.from_file(str(path)) for _ in range(rounds + 1)]
    tik = tiktoken.Encoding("ours", pat_str=trained.pattern, mergeable_ranks=trained.vocab, special_tokens={})
    seen, seen_theirs = ours.pop(), theirs.pop()
    assert seen.encode(text) == seen_theirs.encode(text).ids == tik.encode_ordinary(text)

    work = f"encode, {name}, {vocab_size:,}"
    settings = [
        (
            "first",
            "Hugging Face encode",
            lambda: ours.pop().encode(text),
            lambda: theirs.pop().encode(text).ids,
            2.5,
        ),
        (
            "again",
            "Hugging Face encode",
            lambda: seen.encode(text),
            lambda: seen_theirs.encode(text).ids,
            2.5,
        ),
        (
            "first",
            "tiktoken encode_ordinary",
            lambda: ours.pop().encode(text),
            lambda: tik.encode_ordinary(text),
            0.4,
        ),
        (
            "again",
            "tiktoken encode_ordinary",
            lambda: seen.encode(text),
            lambda: tik.encode_ordinary(text),
            0.4,
        ),
    ]
    for time, peer, our_encode, their_encode, target in settings:
        yield compare(f"{work}, {time}", peer, our_encode, their_encode, rounds=rounds, target=target)


def train_hugging_face_unigram(text: str, vocab_size: int) -> hugging_face.Tokenizer:
    """Unigram of Hugging Face with the same words, its default settings and no progress bar."""
    tokenizer = hugging_face.Tokenizer(models.Unigram())
    words = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(words)
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=vocab_size, special_tokens=[UNKNOWN], unk_token=UNKNOWN, show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def nats_a_character(tokenizer: UnigramTokenizer, text: str) -> float:
    """What the best cuts of the text's words cost; a character that no piece spells costs 30 nats."""
    words = Counter(f"\N{LOWER ONE EIGHTH BLOCK}{word}" for word in text.split())
    pieces = ((n, piece) for word, n in words.items() for piece in tokenizer.best_segmentation(word))
    scores = ((n, tokenizer.scores.get(piece, -30.0)) for n, piece in pieces)
    return -sum(n * score for n, score in scores) / sum(n * len(word) for word, n in words.items())


def unigram_training(text: str, vocab_size: int) -> Iterator[Line]:
    """Training, and how likely the text is to what was learnt, as a share of the peer's nats."""
    trained: dict[str, UnigramTokenizer] = {}

    def ours() -> None:
        trained["ours"] = UnigramTokenizer.train(text, vocab_size)

    def theirs() -> None:
        with tempfile.TemporaryDirectory() as folder:
            train_hugging_face_unigram(text, vocab_size).save(f"{folder}/tokenizer.json")
            trained["theirs"] = UnigramTokenizer.load(f"{folder}/tokenizer.json")

    work = f"train Unigram, docstrings, {vocab_size:,}"
    yield compare(work, "Hugging Face", ours, theirs, rounds=1, target=1 / 3)
    nats = {name: nats_a_character(tokenizer, text) for name, tokenizer in trained.items()}
    share = round(nats["ours"] / nats["theirs"], 4)
    yield Quantity(f"{work}, nats a character", share, "of Hugging Face's", target=1.01)


def encoding_by_words(
    trained: UnigramTokenizer | WordPieceTokenizer, name: str, text: str, rounds: int
) -> Iterator[Comparison]:
    """Encoding by WordPiece or Unigram: tokenizers that have encoded nothing yet, and those that have seen the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        trained.save(path)
        ours = [type(trained).load(path) for _ in range(rounds)]
        theirs = [hugging_face.Tokenizer.from_file(str(path)) for _ in range(rounds + 1)]
    seen = theirs.pop()
    assert trained.encode(text) == seen.encode(text).ids
    work, peer = f"encode, {name}, docstrings, {trained.vocab_size:,}", "Hugging Face encode"
    first = lambda: ours.pop().encode(text), lambda: theirs.pop().encode(text).ids
    again = lambda: trained.encode(text), lambda: seen.encode(text).ids
    for time, calls in (("first", first), ("again", again)):
        yield compare(f"{work}, {time}", peer, *calls, rounds=rounds, target=1.0)


def others(text: str) -> Iterator[Line]:
    """Unigram and WordPiece."""
    for vocab_size in (1_000, 8_000):
        yield from unigram_training(text, vocab_size)
    part = text[:1_000_000]
    yield from encoding_by_words(UnigramTokenizer.train(part, 4_000), "Unigram", text, 3)
    yield from encoding_by_words(WordPieceTokenizer.train(part, 4_000), "WordPiece", text, 3)


def training_memory(text: str, vocab_size: int) -> Quantity:
    """The most memory that training holds beside the text, in sizes of the text."""
    peak = peak_memory(lambda: BPETokenizer.train(text, vocab_size))
    work = f"train BPE, source, {vocab_size:,}, memory"
    return Quantity(work, round(peak / len(text.encode()), 2), "times the text", target=10)


def main() -> None:
    """Print every comparison as it is made, then write them all."""
    docstrings = docstrings_split()[0]
    if sys.argv[1:] == ["others"]:
        for line in others(docstrings):
            print(line, flush=True)
        return
    topics, source = pydoc_topics(), standard_library_source(10_000_000)
    facts = machine(PACKAGES)
    print(machine_line(facts))
    print(f"pydoc topics: {len(topics.encode()):,} bytes; standard library's source: {len(source.encode()):,}\n")
    lines: list[Line] = []
    for line in chain(
        training("pydoc topics", topics, 9),
        training("source", source, 3),
        encoding("pydoc topics", topics, 4_000, 9),
        encoding("source", source, 4_000, 3),
        against_ten_lines(topics),
        others(docstrings),
        (training_memory(source, size) for size in (1_000, 16_000)),
    ):
        print(line, flush=True)
        lines.append(line)
    comparisons = [line for line in lines if isinstance(line, Comparison)]
    quantities = [line for line in lines if isinstance(line, Quantity)]
    print(f"\nwritten to {record('tokenizers', facts, NOTE, comparisons, quantities)}")


if __name__ == "__main__":
    main()
