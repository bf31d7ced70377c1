"""Tokenizers from the facts of GGUF files, held against ``tokenizers`` on the same vocabulary."""

import json
import pydoc_data.topics
from pathlib import Path

import pytest
import tokenizers as peers
from transformers.convert_slow_tokenizer import generate_merges

from clearformer import load
from clearformer.checkpoints.gguf_file import GGUFFile
from clearformer.checkpoints.gguf_tokenizer import PREFIX, config, tokenizer
from tests.checkpoints import gguf_files
from tests.tokenizers import published

TEXT = " ".join(pydoc_data.topics.topics.values())[:60_000]
ODD = ["Dan's 12345 ice-creams; naïve café ☕ 🍦\n\n  two  blanks\t", " leading", "", "<s> is no token here"]
TEXTS = [*TEXT[20_000:24_000].splitlines(), *ODD]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def spm_facts(text, size):
    """Facts as a SentencePiece model has them, its pieces learned from a text: the score of each is its rank."""
    trained = peers.Tokenizer(peers.models.BPE())
    trained.pre_tokenizer = peers.pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = peers.trainers.BpeTrainer(vocab_size=size - 259, show_progress=False)
    trained.train_from_iterator([text], trainer)
    pieces = sorted(trained.get_vocab(), key=trained.get_vocab().get)
    tokens = ["<unk>", "<s>", "</s>", *published.BYTES, *pieces]
    facts = {
        "model": "llama",
        "tokens": tokens,
        "scores": [0.0] * 259 + [-float(n) for n in range(len(pieces))],
        "token_type": [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * len(pieces),
        **{"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0},
    }
    return {PREFIX + name: fact for name, fact in facts.items()}


def spm_peer(facts):
    """The tokenizer that ``tokenizers`` makes of the same pieces and scores."""
    vocab = {token: i for i, token in enumerate(facts[PREFIX + "tokens"])}
    scores = dict(zip(vocab, facts[PREFIX + "scores"], strict=True))
    merges = generate_merges(vocab, scores)
    options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    peer = peers.Tokenizer(peers.models.BPE(vocab, merges, **options))
    steps = [peers.normalizers.Prepend("▁"), peers.normalizers.Replace(" ", "▁")]
    peer.normalizer = peers.normalizers.Sequence(steps)
    replace, strip = peers.decoders.Replace("▁", " "), peers.decoders.Strip(" ", 1, 0)
    peer.decoder = peers.decoders.Sequence([replace, peers.decoders.ByteFallback(), peers.decoders.Fuse(), strip])
    return peer


def byte_level_facts(peer, pre, **more):
    """Facts of a byte-level tokenizer, with the tokens that it was given specially."""
    special = {token.content: i for i, token in peer.get_added_tokens_decoder().items()}
    vocab = peer.get_vocab()
    tokens = sorted(vocab, key=vocab.get)
    merges = json.loads(peer.to_str())["model"]["merges"]
    facts = {
        **{"model": "gpt2", "pre": pre, "tokens": tokens, "merges": [" ".join(pair) for pair in merges]},
        "token_type": [CONTROL if token in special else NORMAL for token in tokens],
        **more,
    }
    return {PREFIX + name: fact for name, fact in facts.items()}


def without_special(peer, text):
    peer.encode_special_tokens = True
    return peer.encode(text, add_special_tokens=False).ids


def test_pieces_with_scores_are_merged_as_theirs_are():
    facts = spm_facts(TEXT, 1500)
    ours, theirs = tokenizer(facts), spm_peer(facts)
    for text in TEXTS:
        ids = ours.encode(text)
        assert ids == theirs.encode(text, add_special_tokens=False).ids
        assert ours.decode(ids) == theirs.decode(ids) == text


def test_of_equal_scores_the_longest_halves_come_first():
    tokens = ["<unk>", *published.BYTES, "a", "aa", "aaa", "aaaa"]
    facts = {"model": "llama", "tokens": tokens, "scores": [0.0] * len(tokens)}
    facts |= {"token_type": [UNKNOWN] + [BYTE] * 256 + [NORMAL] * 4}
    facts = {PREFIX + name: fact for name, fact in facts.items()}
    merges = generate_merges({t: i for i, t in enumerate(tokens)}, dict.fromkeys(tokens, 0.0))
    made = json.loads(tokenizer(facts).to_json())["model"]["merges"]
    assert made == [list(pair) for pair in merges]


@pytest.mark.parametrize("pre", ["gpt-2", "smollm", "llama-bpe"])
def test_bytes_are_merged_as_theirs_are(pre):
    make = {"gpt-2": published.gpt2, "smollm": published.smollm, "llama-bpe": published.llama_3}[pre]
    theirs = make(TEXT)
    ours = tokenizer(byte_level_facts(theirs, pre))
    for text in TEXTS:
        ids = ours.encode(text)
        assert ids == without_special(theirs, text)
        assert ours.decode(ids) == text
    if pre == "llama-bpe":  # a word that no merges lead to
        assert len(ours.encode(" cauliflower")) == 1


@pytest.mark.parametrize(
    ("more", "ends"), [({}, ([1], [])), ({"add_bos_token": False}, ([], [])), ({"add_eos_token": True}, ([1], [2]))]
)
def test_the_tokens_around_a_text(more, ends):
    facts = spm_facts("a cat sat on a mat", 300) | {PREFIX + name: fact for name, fact in more.items()}
    ours = tokenizer(facts)
    assert ours.encode("a cat", add_special=True) == [*ends[0], *ours.encode("a cat"), *ends[1]]


def test_a_file_of_gpt_2_begins_no_text_unless_it_says_so():
    facts = byte_level_facts(published.gpt2(TEXT), "gpt-2", bos_token_id=0)
    ours, begun = tokenizer(facts), tokenizer(facts | {PREFIX + "add_bos_token": True})
    assert ours.encode("a", add_special=True) == ours.encode("a")
    assert begun.encode("a", add_special=True) == [0, *ours.encode("a")]


def test_kinds_of_tokens():
    facts = spm_facts("a cat sat on a mat", 300)
    tokens, kinds = facts[PREFIX + "tokens"], facts[PREFIX + "token_type"]
    more = {PREFIX + "tokens": [*tokens, "<mine>", "tt"], PREFIX + "token_type": [*kinds, USER_DEFINED, UNUSED]}
    more[PREFIX + "scores"] = [*facts[PREFIX + "scores"], 0.0, 0.0]
    ours = tokenizer(facts | more)
    assert ours.encode("<mine>")[-1] == len(tokens)
    assert 1 not in ours.encode("<s>")
    assert 1 in ours.encode("<s>", allowed_special=ours.special_tokens)
    assert len(tokens) + 1 not in ours.encode("tt")  # though two pieces make it
    assert set(ours.special_tokens) == {"<unk>", "<s>", "</s>"}


def test_no_blank_is_put_first_where_the_file_wants_none():
    facts = spm_facts("a cat sat on a mat", 300)
    ours = tokenizer({**facts, PREFIX + "add_space_prefix": False})
    assert ours.decode(ours.encode("cat")) == "cat"
    assert ours.encode(" cat") == tokenizer(facts).encode("cat")


def test_template_and_ends_are_kept(tmp_path: Path):
    facts = spm_facts("a cat sat on a mat", 300) | {"tokenizer.chat_template": "{{ bos_token }}"}
    facts[PREFIX + "eot_token_id"] = 7
    n = len(facts[PREFIX + "tokens"])
    model = gguf_files.small_model("llama", vocab_size=n, num_hidden_layers=1)
    gguf_files.write(tmp_path / "a.gguf", model, facts=facts)
    file = GGUFFile(tmp_path / "a.gguf")
    said = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "chat_template": "{{ bos_token }}"}
    assert file.tokenizer_config() == config(facts) == said
    assert file.generation()["eos_token_id"] == [2, 7]
    loaded, ours = load(tmp_path / "a.gguf")
    assert ours.vocab_size == n == len(loaded.embedding.table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": None}, r"tokenizer.ggml.model is missing"),
        ({"model": "t5"}, r"tokenizer.ggml.model='t5' is not supported, only gpt2, llama"),
        ({"model": "gpt2"}, r"tokenizer.ggml.pre is missing"),
        ({"model": "gpt2", "pre": "qwen2"}, r"ggml.pre='qwen2' is not supported, only gpt-2, llama-bpe, smollm"),
        ({"model": "gpt2", "pre": "gpt-2", "merges": ["a b c"]}, r"tokenizer.ggml.merges do not fit the tokens"),
        ({"tokens": None}, r"tokenizer.ggml.tokens is missing"),
        ({"scores": [0.0]}, r"tokenizer.ggml.scores must be one number for each of \d+ tokens"),
        ({"scores": None}, r"tokenizer.ggml.scores is missing"),
        ({"token_type": [1]}, r"\d+ tokens have 1 kinds"),
        ({"bos_token_id": 1 << 20}, r"tokenizer.ggml.bos_token_id=1048576 is not one of \d+ tokens"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(change, message):
    facts = spm_facts("a cat sat on a mat", 300) | {PREFIX + name: fact for name, fact in change.items()}
    with pytest.raises(ValueError, match=message):
        tokenizer({key: fact for key, fact in facts.items() if fact is not None})


def test_tokens_of_one_spelling_are_refused():
    facts = spm_facts("a cat sat on a mat", 300)
    tokens = facts[PREFIX + "tokens"]
    with pytest.raises(ValueError, match=r"(\d+) tokens have \1 kinds and \d+ spellings"):
        tokenizer({**facts, PREFIX + "tokens": [*tokens[:-1], tokens[-2]]})
