"""A right answer to every exercise, written another way than the chapter's solution where there is one."""

import numpy as np
import scipy.optimize
import torch

from clearformer import decoding
from clearformer import functional as F
from clearformer.decoding import pipeline
from clearformer.exercises.tokenization import _apply, _count_pairs, _encode_in_order
from clearformer.exercises.wordpiece import _cut, _likelihood


def weighted_average(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    if not weights.any():
        raise ValueError("no weight at all")
    return weights @ values / weights.sum()


def softmax_vjp(weights: np.ndarray, d_weights: np.ndarray) -> np.ndarray:
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


def one_hot(ids: np.ndarray, vocab_size: int) -> np.ndarray:
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise ValueError("no such token")
    return np.eye(vocab_size)[ids]


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


def shift_matrix(n: int, d_model: int) -> np.ndarray:
    angles = n * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    blocks = [np.array([[c, s], [-s, c]]) for c, s in zip(np.cos(angles), np.sin(angles), strict=True)]
    return np.kron(np.eye(d_model // 2), np.ones((2, 2))) * np.tile(np.concatenate(blocks), d_model // 2)


def sum_groups(d_repeated: np.ndarray, n_kv_heads: int) -> np.ndarray:
    *batch, n_heads, S, d = d_repeated.shape
    return d_repeated.reshape(*batch, n_kv_heads, n_heads // n_kv_heads, S, d).sum(axis=-3)


def numerical_gradient(loss, x: np.ndarray, h: float) -> np.ndarray:
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.reshape([(loss(x + step) - loss(x - step)) / (2 * h) for step in steps], x.shape)


def grouped(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    tensors = (torch.from_numpy(array) for array in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(*tensors, enable_gqa=True).numpy()


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


def shift_right(targets: np.ndarray, sos: int) -> np.ndarray:
    return np.insert(targets[:, :-1], 0, sos, axis=1)


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


def gelu_slope(x: np.ndarray) -> np.ndarray:
    tensor = torch.tensor(x, requires_grad=True)
    torch.nn.functional.gelu(tensor).sum().backward()
    assert tensor.grad is not None
    return tensor.grad.numpy()


def prune(x: np.ndarray, w_in: np.ndarray, b_in: np.ndarray, w_out: np.ndarray) -> tuple[np.ndarray, ...]:
    kept = np.flatnonzero(F.relu(x @ w_in + b_in).sum(axis=0))
    return w_in[:, kept], b_in[kept], w_out[kept]


def feed_forward_backward(d_output: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    x, w_in, b_in, w_out = inputs = [torch.tensor(array, requires_grad=True) for array in arrays]
    b_out = torch.zeros(w_out.shape[-1], dtype=w_out.dtype, requires_grad=True)
    (torch.relu(x @ w_in + b_in) @ w_out + b_out).backward(torch.tensor(d_output))
    return tuple(tensor.grad.numpy() for tensor in [*inputs, b_out])


def next_token_loss(logits: np.ndarray, ids: np.ndarray) -> float:
    return torch.nn.functional.cross_entropy(torch.from_numpy(logits[:-1]), torch.from_numpy(ids[1:])).item()


def trigram(seen: np.ndarray, bigram: np.ndarray, pull: float, ids: np.ndarray) -> np.ndarray:
    counts = np.zeros((len(bigram),) * 3)
    np.add.at(counts, (seen[:-2], seen[1:-1], seen[2:]), 1)
    given = (counts + pull * bigram) / (counts.sum(axis=-1, keepdims=True) + pull)
    return given[ids[:-2], ids[1:-1], ids[2:]]


def cached_block(x: np.ndarray, w: dict[str, np.ndarray], k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
    def norm(x: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / np.sqrt(x.var() + 1e-5)

    heads, _, d_k = k.shape
    q, *new = np.split(norm(x) @ w["w_qkv"], 3)
    k, v = (np.insert(old, old.shape[1], n.reshape(heads, d_k), axis=1) for old, n in zip((k, v), new, strict=True))
    scores = np.einsum("hd,hsd->hs", q.reshape(heads, d_k), k) / np.sqrt(d_k)
    x = x + np.einsum("hs,hsd->hd", F.softmax(scores), v).ravel() @ w["w_o"]
    return x + F.gelu(norm(x) @ w["w_in"]) @ w["w_out"], k, v


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


def penalize(logits: np.ndarray, ids: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    rows, so_far = torch.tensor(logits)[None], torch.tensor(ids)[None]
    return decoding.pipeline(frequency=alpha, presence=beta)(rows, so_far)[0].numpy()


def shift_free(logits: np.ndarray, ids: np.ndarray, rho: float) -> np.ndarray:
    p = F.softmax(logits)
    return np.log(p) * np.where(np.isin(np.arange(len(p)), ids), rho, 1)


def find_temperature(logits: np.ndarray, target: float) -> float:
    def too_much(log_tau: float) -> float:
        log_p = F.log_softmax(logits / np.exp(log_tau))
        return -(np.exp(log_p) * log_p).sum() - target

    return float(np.exp(scipy.optimize.brentq(too_much, -20, 20, xtol=1e-12)))


def beam_step(log_p: np.ndarray, next_log_p: np.ndarray, n_beams: int) -> tuple[np.ndarray, ...]:
    best = torch.from_numpy(log_p[:, None] + next_log_p).flatten().topk(n_beams)
    return best.values.numpy(), *np.divmod(best.indices.numpy(), next_log_p.shape[1])


def best_first(ask, stop: int) -> tuple[list[int], float]:
    """Among open paths in a plain dictionary, take the likeliest until it has ended."""
    paths = {(): 0.0}
    while True:
        path = max(paths, key=paths.get)
        if path[-1:] == (stop,):
            return list(path), paths[path]
        before = paths.pop(path)
        paths |= {(*path, v): before + value for v, value in enumerate(ask(list(path))) if value > -np.inf}


def cuts(logits: np.ndarray, tau: float, k: int, p: float, min_p: float) -> np.ndarray:
    process = pipeline(tau=tau, k=k, p=p, min_p=min_p)
    return process(torch.from_numpy(logits)[None], torch.zeros(1, 1, dtype=torch.int64))[0].softmax(dim=-1).numpy()


RIGHT = {
    "tokenization.pair_counts": _count_pairs,
    "tokenization.apply_merge": _apply,
    "tokenization.encode": _encode_in_order,
    "tokenization.wordpiece": _cut,
    "tokenization.train": _likelihood,
    "embeddings.one_hot": one_hot,
    "embeddings.parameters": lambda vocab_size, d_model, tied: vocab_size * d_model * (1 if tied else 2),
    "embeddings.backward": lambda d_output, ids, vocab_size: np.eye(vocab_size)[ids].T @ d_output,
    "embeddings.nearest": nearest,
    "embeddings.tied_gradient": tied_gradient,
    "positional_encoding.wavelengths": lambda d_model, base: 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model),
    "positional_encoding.shift_matrix": shift_matrix,
    "positional_encoding.to_half_layout": to_half_layout,
    "positional_encoding.rotary": lambda x, positions: F.rotary_encoding(x, positions),
    "attention.weighted_average": weighted_average,
    "attention.softmax": lambda z: F.softmax(z),
    "attention.score_scale": lambda sigma_q, sigma_k, d_k: 1 / (sigma_q * sigma_k * d_k**0.5),
    "attention.masked": F.scaled_dot_product_attention,
    "attention.softmax_jacobian": softmax_vjp,
    "masks_and_cross_attention.shift_right": shift_right,
    "masks_and_cross_attention.compose": lambda lengths, T: F.causal_mask(T) & F.padding_mask(lengths, T),
    "masks_and_cross_attention.window": window,
    "masks_and_cross_attention.cross": lambda x, y, w_q, w_k, w_v, mask: F.scaled_dot_product_attention(
        x @ w_q, y @ w_k, y @ w_v, mask
    )[0],
    "masks_and_cross_attention.leaks": leaks,
    "multi_head_attention.cache_bytes": lambda n_layers, n_kv_heads, d_k, tokens, width: (
        2 * n_layers * n_kv_heads * d_k * tokens * width
    ),
    "multi_head_attention.split": lambda x, n_heads: np.stack(np.split(x, n_heads, axis=-1), axis=-3),
    "multi_head_attention.contributions": lambda heads, w_o: np.stack(
        [head @ rows for head, rows in zip(heads, np.split(w_o, len(heads)), strict=True)]
    ),
    "multi_head_attention.grouped": grouped,
    "multi_head_attention.induction": induction,
    "attention_backward.d_w_q": lambda x, d_q: np.tensordot(x, d_q, axes=[range(x.ndim - 1)] * 2),
    "attention_backward.shared_keys": sum_groups,
    "attention_backward.numerical_gradient": numerical_gradient,
    "attention_backward.backward": F.scaled_dot_product_attention_backward,
    "attention_cost.layer_flops": lambda N, d, d_ff: (2 * N * (4 * d * d + 2 * d * d_ff), 4 * N * N * d),
    "attention_cost.merge": merge,
    "attention_cost.stream": stream,
    "attention_cost.streaming": lambda q, k, v, chunk: F.streaming_attention(
        q, k, v, F.causal_blocks(len(q)), chunk=chunk
    ),
    "normalization.layer_norm": lambda x, gamma, beta, eps: F.layer_norm(x, gamma, beta, eps),
    "normalization.running": lambda mean, var, x, momentum: (
        (1 - momentum) * mean + momentum * x.mean(axis=0),
        (1 - momentum) * var + momentum * x.var(axis=0, ddof=1),
    ),
    "normalization.fold": lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta @ w),
    "normalization.rms_backward": rms_backward,
    "feed_forward.block_parameters": lambda d_model, d_ff: (
        4 * d_model * d_model + 2 * d_model * d_ff + 9 * d_model + d_ff
    ),
    "feed_forward.gelu_slope": gelu_slope,
    "feed_forward.prune": prune,
    "feed_forward.backward": feed_forward_backward,
    "language_model.loss": next_token_loss,
    "language_model.bits_per_byte": lambda perplexity, tokens, size: tokens / size * np.log(perplexity) / np.log(2),
    "language_model.trigram": trigram,
    "language_model.cached_block": cached_block,
    "temperature_and_penalties.boltzmann": lambda energies, tau: np.exp(F.log_softmax(-energies / tau)),
    "temperature_and_penalties.penalize": penalize,
    "temperature_and_penalties.shift_free": shift_free,
    "temperature_and_penalties.find_temperature": find_temperature,
    "search.log_probability": lambda logits, tokens: np.take_along_axis(
        F.log_softmax(logits), tokens[:, None], axis=-1
    ).sum(),
    "search.step": beam_step,
    "search.crossing": lambda log_p, n, log_q, m: np.log2(log_q / log_p) / np.log2(m / n),
    "search.best_first": best_first,
    "sampling.inverse": lambda p, u: next(i for i, end in enumerate(np.cumsum(p)) if end > u),
    "sampling.gumbel": lambda logits, u: (-np.log(u) / np.exp(logits - logits.max())).argmin(axis=-1),
    "sampling.nucleus": lambda p, threshold: np.array([p[p > q].sum() < threshold for q in p]),
    "sampling.cuts": cuts,
}
