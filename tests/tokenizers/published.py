"""Tokenizers set up as published files are, with small vocabularies learnt here."""

import base64
from collections.abc import Callable
from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.tokenizers import charsmap, peers

LLAMA_3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def bert(text: str, *, lowercase: bool) -> Tokenizer:
    """BERT, cased or not."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=lowercase
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=2_000, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def roberta(text: str) -> Tokenizer:
    """RoBERTa: bytes, and a mask that takes the blank before it along."""
    tokenizer = _on_bytes(text, ["<s>", "<pad>", "</s>", "<unk>"], pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    cls, sep = (("<s>", tokenizer.token_to_id("<s>")), ("</s>", tokenizer.token_to_id("</s>")))
    tokenizer.post_processor = processors.RobertaProcessing(sep, cls, trim_offsets=True, add_prefix_space=False)
    return tokenizer


def llama_3(text: str) -> Tokenizer:
    """Llama 3: bytes, a pattern of its own, words in the vocabulary taken as they are."""
    cut = pre_tokenizers.Split(Regex(LLAMA_3_PATTERN), "isolated")
    cutter = pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer = _on_bytes(text, [], cutter)
    # A word that merges do not reach, as most of Llama 3's vocabulary was taken over from another one.
    size = tokenizer.get_vocab_size()
    vocab = tokenizer.get_vocab() | {"Ġcauliflower": size, "\u0120Zebra": size + 1}
    merges = [tuple(pair) for pair in _model(tokenizer)["merges"]]
    tokenizer.model = models.BPE(vocab, merges, ignore_merges=True)
    tokenizer.add_special_tokens(
        [AddedToken(t, normalized=False) for t in ("<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>")]
    )
    begin = "<|begin_of_text|>"
    template = processors.TemplateProcessing(
        single=f"{begin} $A", pair=f"{begin} $A {begin}:1 $B:1", special_tokens=[(begin, tokenizer.token_to_id(begin))]
    )
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template])
    return tokenizer


def smollm(text: str) -> Tokenizer:
    """SmolLM and SmolLM2: GPT-2's way, with each digit for itself."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    cutter = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return _on_bytes(text, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], cutter)


def llama_2(text: str, *, older: bool) -> Tokenizer:
    """Llama 2: characters, with bytes for unknown ones; marks put by the normalizer, or later by Metaspace."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    special = ["<unk>", "<s>", "</s>"]
    trainer = trainers.BpeTrainer(vocab_size=2_000, special_tokens=[*special, *BYTES], show_progress=False)
    trained.train_from_iterator(text.splitlines(), trainer)
    merges = [tuple(pair) for pair in _model(trained)["merges"]]
    options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    tokenizer = Tokenizer(models.BPE(trained.get_vocab(), merges, **options))
    if older:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens([AddedToken(token, normalized=older) for token in special])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def t5(text: str, *, older: bool) -> Tokenizer:
    """T5: Unigram, a table of replacements, and extra ids for what is left out of a text."""
    special = ["<pad>", "</s>", "<unk>"]
    marks = pre_tokenizers.Metaspace("▁", prepend_scheme="always")
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), marks])
    trainer = trainers.UnigramTrainer(vocab_size=1_500, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator([text[:60_000]], trainer)
    table = normalizers.Precompiled(_table())
    tokenizer.normalizer = table
    if not older:
        spaces = normalizers.Replace(Regex(" {2,}"), "▁")
        tokenizer.normalizer = normalizers.Sequence([table, normalizers.Strip(left=False, right=True), spaces])
        tokenizer.pre_tokenizer = marks
    tokenizer.decoder = decoders.Metaspace("▁", prepend_scheme="always")
    tokenizer.add_special_tokens([AddedToken(f"<extra_id_{i}>", normalized=False) for i in range(9, -1, -1)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


KINDS: dict[str, Callable[[str], Tokenizer]] = {
    "BERT uncased": lambda text: bert(text, lowercase=True),
    "BERT cased": lambda text: bert(text, lowercase=False),
    "RoBERTa": roberta,
    "Llama 2, older": lambda text: llama_2(text, older=True),
    "Llama 2, newer": lambda text: llama_2(text, older=False),
    "Llama 3": llama_3,
    "SmolLM": smollm,
    "T5, older": lambda text: t5(text, older=True),
    "T5, newer": lambda text: t5(text, older=False),
}


def _on_bytes(text: str, special: list[str], pre_tokenizer: pre_tokenizers.PreTokenizer) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2_000,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def _model(tokenizer: Tokenizer) -> Any:
    return peers.as_json(tokenizer)["model"]


def _table() -> bytes:
    return base64.b64decode(charsmap.as_base64(charsmap.nfkc_with_blanks()))
