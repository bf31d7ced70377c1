"""A trained language model that runs in the reader's browser: its weights as bytes, its tokenizer as lists."""

from collections.abc import Mapping, Sequence

import numpy as np

from clearformer.tokenizers import BPETokenizer
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN

from ..live import LiveModel, packed, quantized, require_names
from .opening import opening

MIME_TYPE = "application/vnd.clearformer.live-model+json"
BLOCK = {
    "attention": ("w_qkv", "b_qkv", "w_o", "b_o"),
    "feed_forward": ("w_in", "b_in", "w_out", "b_out"),
    "norm_attention": ("gamma", "beta"),
    "norm_feed_forward": ("gamma", "beta"),
}


def live_model(
    state: Mapping[str, np.ndarray],
    tokenizer: BPETokenizer,
    *,
    n_heads: int,
    context: int,
    prompts: Sequence[str],
    description: str,
) -> LiveModel:
    """Let the reader type, and see tokens, probabilities and attention, computed by the reader's own browser.

    The weights travel as whole numbers of one byte with one scale a row; `quantized` gives what they stand for.

    Args:
        state: The weights of a ``Decoder`` of GPT-2's blocks that adds no positions, by its names: they turn queries
            and keys as ``F.rotary_encoding`` does by itself. Tensors on the CPU will do.
        tokenizer: Its tokenizer, with the pattern of GPT-2.
        n_heads: Heads of each block.
        context: How many tokens it sees at most. Of a longer text the page lets it forget half of them at once.
        prompts: Texts to begin with. The first one stands there at the start, with what the model makes of it.
        description: What the model is, in words.

    Raises:
        ValueError: the weights are not those of such a decoder, they or the heads do not fit together, the
            tokenizer does not fit them, there is no prompt, or the first one fills the context.

    Example:
        >>> rows = {"embedding.table": np.eye(256, 4), "norm.gamma": np.ones(4), "norm.beta": np.zeros(4)}
        >>> tokenizer = BPETokenizer.train("", 256)
        >>> live_model(rows, tokenizer, n_heads=1, context=5, prompts=["!"], description="A toy.")
        A toy. It runs in the book's page.
    """
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in state.items()}
    n_layers = _require(arrays, n_heads, context)
    vocab_size, d_model = arrays["embedding.table"].shape
    tokens = _tokens(tokenizer, vocab_size)
    if not prompts or not all(prompts):
        raise ValueError(f"{len(prompts)} prompts: at least one is needed, and none may be empty")
    if not description.strip():
        raise ValueError("a live model needs a description: it is read where the model cannot run")
    weights = {
        "sizes": {"context": context, "d_model": d_model, "n_heads": n_heads, "n_layers": n_layers},
        "tokens": tokens,
        "merges": _merges(tokenizer),
        **packed(arrays),
    }
    page = {"description": description.strip(), "prompts": list(prompts)}
    begun = opening(quantized(arrays), tokenizer, prompts[0], n_heads=n_heads, context=context)
    return LiveModel(MIME_TYPE, page, {"model": weights, "opening": begun})


def _require(arrays: Mapping[str, np.ndarray], n_heads: int, context: int) -> int:
    """Refuse weights that the page could not compute with; give the number of blocks."""
    n_layers = sum(name.endswith(".w_o") for name in arrays)
    expected = ["embedding.table", "norm.gamma", "norm.beta"]
    for number in range(n_layers):
        expected += [f"blocks.{number}.{part}.{name}" for part, names in BLOCK.items() for name in names]
    require_names(expected, arrays, "GPT-2's blocks without added positions")
    d_model = arrays["embedding.table"].shape[1]
    if n_heads < 1 or d_model % (2 * n_heads):
        raise ValueError(f"d_model={d_model} must be a multiple of 2 * n_heads={2 * n_heads}: features turn in pairs")
    if context < 2:
        raise ValueError(f"context={context} must be at least 2: a token that is read, and one that is written")
    return n_layers


def _tokens(tokenizer: BPETokenizer, vocab_size: int) -> list[str]:
    """The bytes of each token, one character (U+0000 to U+00FF) a byte."""
    if tokenizer.pattern != GPT2_PATTERN:
        raise ValueError(f"the page cuts text by the pattern of GPT-2, not by {tokenizer.pattern!r}")
    ids = {*tokenizer.vocab.values(), *tokenizer.special_tokens.values()}
    if ids != set(range(vocab_size)):
        raise ValueError(f"{len(ids)} tokens up to id {max(ids)} do not fit an embedding of {vocab_size} rows")
    return [tokenizer.decode_bytes([i]).decode("latin-1") for i in range(vocab_size)]


def _merges(tokenizer: BPETokenizer) -> list[int]:
    """The ids of each merge, end to end: left, right, both joined."""
    ids = tokenizer.vocab
    return [ids[token] for left, right in tokenizer.merges for token in (left, right, left + right)]
