"""A trained language model that runs in the reader's browser: its weights as bytes, its tokenizer as lists."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.tokenizers import BPETokenizer
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN

from .opening import opening

MIME_TYPE = "application/vnd.clearformer.live-model+json"
BLOCK = {
    "attention": ("w_qkv", "b_qkv", "w_o", "b_o"),
    "feed_forward": ("w_in", "b_in", "w_out", "b_out"),
    "norm_attention": ("gamma", "beta"),
    "norm_feed_forward": ("gamma", "beta"),
}


@dataclass(frozen=True)
class LiveModel:
    """A model with its text; it displays itself in the book's page, and as its description elsewhere.

    What differs from machine to machine stands in the metadata of the output, which no comparison of notebooks
    looks at: the weights, and what follows from them.
    """

    page: Mapping[str, Any]
    weights: Mapping[str, Any]

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return {MIME_TYPE: dict(self.page), "text/plain": repr(self)}, {MIME_TYPE: dict(self.weights)}

    def __repr__(self) -> str:
        return f"{self.page['description']} It runs in the book's page."


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
    layout, data = _pack(arrays)
    weights = {
        "sizes": {"context": context, "d_model": d_model, "n_heads": n_heads, "n_layers": n_layers},
        "tokens": tokens,
        "merges": _merges(tokenizer),
        "tensors": layout,
        "bytes": base64.b64encode(data).decode("ascii"),
    }
    page = {"description": description.strip(), "prompts": list(prompts)}
    begun = opening(quantized(arrays), tokenizer, prompts[0], n_heads=n_heads, context=context)
    return LiveModel(page, {"model": weights, "opening": begun})


def quantized(state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Give the weights that the live model computes with, as float32: rounded to one byte each.

    The matrices ``w_...`` are rounded by columns, each of which makes one output, and the table of embeddings by
    rows. Vectors stay as they are.

    Args:
        state: The weights of a ``Decoder``, by its names; tensors on the CPU will do.

    Example:
        >>> state = {"embedding.table": np.array([[1.27, 0.504], [0.0, 3.0]]), "norm.gamma": np.array([0.1234567])}
        >>> quantized(state)["embedding.table"].round(3)
        array([[1.27, 0.5 ],
               [0.  , 3.  ]], dtype=float32)
    """
    rounded = {}
    for name, value in state.items():
        array = np.asarray(value, dtype=np.float32)
        rounded[name] = _by_rows(name, F.dequantize(*F.quantize(_by_rows(name, array)))) if array.ndim == 2 else array
    return rounded


def _by_rows(name: str, matrix: np.ndarray) -> np.ndarray:
    """Turn a matrix so that what shares a scale is a row; done twice, it is as before."""
    return matrix.T if name.rpartition(".")[2].startswith("w_") else matrix


def _pack(arrays: Mapping[str, np.ndarray]) -> tuple[list[list[Any]], bytes]:
    """All weights end to end: a matrix as int8 by rows and its float32 scales, a vector as float32."""
    layout, parts = [], []
    for name, array in arrays.items():
        if array.ndim == 2:
            codes, scale = F.quantize(_by_rows(name, array))
            parts += [codes.tobytes(), scale.astype("<f4").tobytes()]
            layout.append([name, *codes.shape])
        else:
            parts.append(array.astype("<f4").tobytes())
            layout.append([name, *array.shape])
    return layout, b"".join(parts)


def _require(arrays: Mapping[str, np.ndarray], n_heads: int, context: int) -> int:
    """Refuse weights that the page could not compute with; give the number of blocks."""
    n_layers = sum(name.endswith(".w_o") for name in arrays)
    expected = ["embedding.table", "norm.gamma", "norm.beta"]
    for number in range(n_layers):
        expected += [f"blocks.{number}.{part}.{name}" for part, names in BLOCK.items() for name in names]
    if set(expected) != arrays.keys():
        differing = sorted(set(expected) ^ arrays.keys())
        words = "not GPT-2's blocks without added positions"
        raise ValueError(f"{words}: {len(differing)} names differ, such as {differing[0]}")
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
