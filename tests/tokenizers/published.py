"""Tokenizers set up as published files are, with small vocabularies learned here."""

from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from tests.tokenizers import peers

LLAMA_3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


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


def gpt2(text: str) -> Tokenizer:
    """GPT-2: bytes, and one token that ends a text."""
    return _on_bytes(text, ["<|endoftext|>"], pre_tokenizers.ByteLevel(add_prefix_space=False))


def smollm(text: str) -> Tokenizer:
    """SmolLM and SmolLM2: GPT-2's way, with each digit for itself."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    cutter = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return _on_bytes(text, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], cutter)


def _on_bytes(text: str, special: list[str], pre_tokenizer: pre_tokenizers.PreTokenizer) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    options = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), "show_progress": False}
    trainer = trainers.BpeTrainer(vocab_size=2_000, special_tokens=special, **options)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def _model(tokenizer: Tokenizer) -> Any:
    return peers.as_json(tokenizer)["model"]
