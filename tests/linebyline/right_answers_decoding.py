"""Right answers to the exercises on language models, on translation and on reading from them."""

import numpy as np
import scipy.optimize
import torch

from clearformer import decoding
from clearformer import functional as F
from clearformer.decoding import pipeline


def teacher_forced(words: np.ndarray, start: int, end: int, pad: int) -> tuple[np.ndarray, ...]:
    """Write each sentence out with its start and end, then take it without the last and without the first."""
    lengths = (words != pad).sum(axis=1).tolist()
    rows = [[start, *row[:n], end, *row[n:]] for row, n in zip(words.tolist(), lengths, strict=True)]
    whole = np.array(rows)
    return whole[:, :-1], whole[:, 1:], np.arange(whole.shape[1] - 1) <= np.array(lengths)[:, None]


def alignment_error(weights: np.ndarray, sure: np.ndarray, possible: np.ndarray) -> float:
    strongest = weights.sum(axis=0).argmax(axis=-1)
    hits = [sure[t, s].astype(int) + possible[t, s] for t, s in enumerate(strongest)]
    return 1 - sum(hits) / (len(strongest) + sure.sum())


def word_scores(ids: np.ndarray, y: np.ndarray, table: np.ndarray, pad: int) -> np.ndarray:
    """Each sentence by itself, without its padding."""
    found = []
    for row, queries in zip(ids, y, strict=True):
        x = table[row[row != pad]]
        x = F.softmax(x @ x.T / x.shape[-1] ** 0.5) @ x
        found.append(F.softmax(queries @ x.T / x.shape[-1] ** 0.5) @ x @ table.T)
    return np.stack(found)


def smoothed(logits: np.ndarray, targets: np.ndarray, share: float, pad: int) -> tuple[float, np.ndarray]:
    z = torch.tensor(logits, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(
        z.flatten(0, -2), torch.from_numpy(targets).flatten(), label_smoothing=share, ignore_index=pad
    )
    loss.backward()
    assert z.grad is not None
    return loss.item(), z.grad.numpy()


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


RIGHT_DECODING = {
    "translation.shift": teacher_forced,
    "translation.exposure": (0.99**20, (10 + 49 * (1 - 0.99**20)) / 20),
    "translation.floor": (0.9001, -0.9001 * np.log(0.9001) + 0.0999 * np.log(10000)),
    "translation.alignment_error": alignment_error,
    "translation.cached": (6 * (10 * 12 + 55), 6 * 22),
    "translation.neighbours": word_scores,
    "translation.smoothed": smoothed,
    "temperature_and_penalties.cold_penalty": np.e**2,
    "temperature_and_penalties.penalize": penalize,
    "temperature_and_penalties.shift_free": shift_free,
    "temperature_and_penalties.find_temperature": find_temperature,
    "search.by_hand": (1 / 8, 9 / 50, 19 / 100),
    "search.step": beam_step,
    "search.crossing": lambda log_p, n, log_q, m: np.log2(log_q / log_p) / np.log2(m / n),
    "search.best_first": best_first,
    "sampling.rejections": sum(n * 0.2 ** (n - 1) * 0.8 for n in range(1, 60)),
    "sampling.double_noise": 3 / 4,
    "sampling.nucleus": lambda p, threshold: np.array([p[p > q].sum() < threshold for q in p]),
    "sampling.cuts": cuts,
}
