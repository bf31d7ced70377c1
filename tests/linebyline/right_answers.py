"""A right answer to every exercise: beside its wrong ones, or here for chapters that have not moved yet."""

import heapq
from collections.abc import Callable
from functools import cache

import numpy as np
import torch

from clearformer import functional as F
from linebyline.exercises import registry
from linebyline.exercises.tokenization._merging import apply
from linebyline.exercises.tokenization.encode import _encode_in_order
from linebyline.exercises.tokenization.train import _likelihood
from tests.linebyline.right_answers_decoding import RIGHT_DECODING


def as_it_comes(tokens: list[bytes]) -> list[str]:
    """Cut each beginning of the answer after its last whole character."""
    wholes = [b"".join(tokens[: i + 1]).decode(errors="ignore") for i in range(len(tokens))]
    return [whole[len(before) :] for before, whole in zip(["", *wholes], wholes, strict=False)]


def two_best_cuts(word: str, log_p: Callable[[str], float]) -> list[tuple[float, tuple[str, ...]]]:
    """Go from the end of the word, and remember how each rest of it is cut."""

    @cache
    def of_rest(begin: int) -> list[tuple[float, tuple[str, ...]]]:
        if begin == len(word):
            return [(0.0, ())]
        scored = [(word[begin:end], log_p(word[begin:end]), end) for end in range(begin + 1, len(word) + 1)]
        known = [(piece, score, end) for piece, score, end in scored if score > -np.inf]
        ways = [(score + s, (piece, *cut)) for piece, score, end in known for s, cut in of_rest(end)]
        return heapq.nlargest(2, ways)

    return of_rest(0)


def nearest(table: np.ndarray, token: int, count: int) -> np.ndarray:
    cosine = table @ table[token] / np.linalg.norm(table, axis=-1)
    cosine[token] = -np.inf
    return np.argsort(-cosine)[:count]


def tied_gradient(ids: np.ndarray, targets: np.ndarray, table: np.ndarray, w: np.ndarray) -> np.ndarray:
    parameter = torch.from_numpy(table).requires_grad_()
    logits = parameter[ids] @ torch.from_numpy(w) @ parameter.T
    torch.nn.functional.cross_entropy(logits, torch.from_numpy(targets)).backward()
    assert parameter.grad is not None
    return parameter.grad.numpy()


def to_half_layout(w: np.ndarray, n_heads: int) -> np.ndarray:
    d_model, width = w.shape
    return w.reshape(d_model, n_heads, width // n_heads // 2, 2).swapaxes(-1, -2).reshape(w.shape)


def self_attention_backward(d_output: np.ndarray, *inputs: np.ndarray) -> np.ndarray:
    x, *matrices = (torch.tensor(array, requires_grad=True) for array in inputs)
    output = torch.nn.functional.scaled_dot_product_attention(*(x @ w for w in matrices))
    output.backward(torch.tensor(d_output))
    assert x.grad is not None
    return x.grad.numpy()


def halfway(row: np.ndarray, next_row: np.ndarray) -> np.ndarray:
    middle = (row + next_row).reshape(-1, 2)
    return (middle / np.linalg.norm(middle, axis=-1, keepdims=True)).ravel()


def sinusoidal(positions: np.ndarray, d_model: int) -> np.ndarray:
    turns = np.exp(1j * np.outer(positions, 10000.0 ** -np.linspace(0, 1, d_model // 2, endpoint=False)))
    return np.stack([turns.imag, turns.real], axis=-1).reshape(len(positions), d_model)


def attention_of_turned(q: np.ndarray, k: np.ndarray, v: np.ndarray, positions: np.ndarray) -> np.ndarray:
    scores = F.rotary_encoding(q, positions) @ F.rotary_encoding(k, positions).T
    return F.softmax(scores / q.shape[-1] ** 0.5) @ v


def pre_norm_block(x: np.ndarray, attention, feed_forward, norm) -> np.ndarray:
    for layer in (attention, feed_forward):
        x = x + layer(norm(x))
    return x


def induction(ids: np.ndarray) -> np.ndarray:
    weights = np.zeros((len(ids), len(ids)))
    for t, token in enumerate(ids):
        places = [s for s in range(1, t + 1) if ids[s - 1] == token]
        weights[t, places] = 1 / max(len(places), 1)
    return weights


def rms_backward(d_output: np.ndarray, x: np.ndarray, gamma: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    tx, tg = torch.tensor(x, requires_grad=True), torch.tensor(gamma, requires_grad=True)
    torch.nn.functional.rms_norm(tx, tg.shape, tg, eps).backward(torch.tensor(d_output))
    return tx.grad.numpy(), tg.grad.numpy()


def window(T: int, width: int) -> np.ndarray:
    behind = np.subtract.outer(np.arange(T), np.arange(T))
    return (behind >= 0) & (behind < width)


def leaks(layer, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    found = np.zeros((len(ids), len(ids)), dtype=bool)
    for s, other in np.ndindex(len(ids), vocab_size):
        changed = ids.copy()
        changed[s] = other
        found[:s, s] |= (layer(changed) != layer(ids))[:s].any(axis=-1)
    return found


def prune(x: np.ndarray, w_in: np.ndarray, b_in: np.ndarray, w_out: np.ndarray) -> tuple[np.ndarray, ...]:
    kept = np.flatnonzero(F.relu(x @ w_in + b_in).sum(axis=0))
    return w_in[:, kept], b_in[kept], w_out[kept]


def feed_forward_backward(d_output: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    x, w_in, b_in, w_out = inputs = [torch.tensor(array, requires_grad=True) for array in arrays]
    b_out = torch.zeros(w_out.shape[-1], dtype=w_out.dtype, requires_grad=True)
    (torch.relu(x @ w_in + b_in) @ w_out + b_out).backward(torch.tensor(d_output))
    return tuple(tensor.grad.numpy() for tensor in [*inputs, b_out])


def merge(a: tuple, b: tuple) -> tuple:
    """Through logarithms of the sums: log(l) + m is what the parts have in common."""
    m = np.maximum(a[0], b[0])
    with np.errstate(divide="ignore"):
        logs = [part[0] + np.log(part[1]) for part in (a, b)]
    both = np.logaddexp(*logs)
    seen = np.isfinite(both)
    parts = [
        np.where(seen, np.exp(log - np.where(seen, both, 0)), 0)[..., None] * y
        for log, (_, _, y) in zip(logs, (a, b), strict=True)
    ]
    return m, np.where(seen, np.exp(both - np.where(seen, m, 0)), 0), sum(parts)


def stream(blocks) -> float:
    total = -np.inf
    for block in blocks:
        total = np.logaddexp(total, np.logaddexp.reduce(block))
    return total


_APART = {
    "tokenization.doubling": np.log2(16),
    "tokenization.wordpiece": "[UNK]",
    "tokenization.apply_merge": apply,
    "tokenization.encode": _encode_in_order,
    "tokenization.viterbi": two_best_cuts,
    "tokenization.stream": as_it_comes,
    "tokenization.train": _likelihood,
    "embeddings.one_place": 16 / 17,
    "embeddings.rows_reached": (1000 * (1 - np.exp(-1.024)), 1000),
    "embeddings.renumber": lambda table, new_ids: table[np.argsort(new_ids)],
    "embeddings.nearest": nearest,
    "embeddings.tied_gradient": tied_gradient,
    "positional_encoding.row_length": 256,
    "positional_encoding.wavelengths": lambda d_model, base: 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model),
    "positional_encoding.sinusoidal": sinusoidal,
    "positional_encoding.halfway": halfway,
    "masks_and_cross_attention.reach": 16,
    "masks_and_cross_attention.window": window,
    "masks_and_cross_attention.cross": lambda x, y, w_q, w_k, w_v, lengths: F.scaled_dot_product_attention(
        x @ w_q, y @ w_k, y @ w_v, F.padding_mask(lengths, y.shape[1])
    )[0],
    "masks_and_cross_attention.leaks": leaks,
    "multi_head_attention.silenced": (512, 64),
    "multi_head_attention.shared": (2 / 8, (64 * 64 * 2 + 64 * 16 * 2) / (4 * 64 * 64)),
    "multi_head_attention.merged": lambda x, w_q, w_k, w_v, w_o, n_heads: F.multi_head_attention(
        x, x, w_q, w_k, w_v, w_o, n_heads=n_heads, mask=F.causal_mask(len(x))
    )[0],
    "multi_head_attention.induction": induction,
    "relative_positions.far_pair": 0.2837,
    "relative_positions.alibi_row": lambda slope, S: -slope * np.arange(S)[::-1],
    "relative_positions.turned_values": attention_of_turned,
    "relative_positions.moved_keys": lambda k, n: F.rotary_encoding(k, np.array(n)),
    "relative_positions.to_half_layout": to_half_layout,
    "normalization.small_row": 1 / 11**0.5,
    "normalization.pre_norm": pre_norm_block,
    "normalization.fold": lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta @ w),
    "normalization.rms_backward": rms_backward,
    "feed_forward.block_parameters": 218.1,
    "feed_forward.prune": prune,
    "feed_forward.backward": feed_forward_backward,
    **RIGHT_DECODING,
    "attention_backward.score_gradient": (-0.21, -0.06, 0.27),
    "attention_backward.d_x": self_attention_backward,
    "attention_backward.backward": F.scaled_dot_product_attention_backward,
    "attention_cost.layer_flops": 5.125 * 512,
    "attention_cost.merge": merge,
    "attention_cost.stream": stream,
    "attention_cost.streaming": lambda q, k, v, chunk: F.streaming_attention(
        q, k, v, F.causal_blocks(len(q)), chunk=chunk
    ),
}

RIGHT = {id: _APART.get(id, exercise.right) for id, exercise in registry().items()}
