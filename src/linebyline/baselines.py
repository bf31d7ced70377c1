"""Baselines of a language model: n-gram counts with Kneser-Ney smoothing, and a compressor that has read the text."""

import lzma
import math

import numpy as np
from jaxtyping import Float, Int

from clearformer.tokenizers import BPETokenizer


class KneserNey:
    r"""Count which token follows the last few, and fall back to fewer where the counts are thin.

    .. math::

        P_k(w \mid h) = \frac{c(hw) - D(c(hw))}{c(h)} + \gamma(h)\,P_{k-1}(w \mid h'), \qquad
        \gamma(h) = \frac{1}{c(h)}\sum_v D(c(hv)), \qquad P_0(w) = \frac1V

    Here :math:`h` are the :math:`k - 1` tokens before :math:`w`, :math:`h'` is :math:`h` without its first one, and
    :math:`c(h) = \sum_v c(hv)`; where that is 0, :math:`P_k = P_{k-1}`. In the highest order :math:`c` counts how
    often an n-gram occurs. In a lower one it counts how many different tokens occur before it, because that
    is what decides when the longer n-gram has not been seen. What is taken from a count of 1, of 2, and of 3 and more,
    is estimated from the number :math:`n_c` of n-grams with each count:

    .. math::

        D(c) = i - (i + 1)\,\frac{n_1}{n_1 + 2n_2}\,\frac{n_{i+1}}{n_i}, \qquad i = \min(c, 3)

    The text is ``ids``, (n,); ``order`` is the number of tokens in the longest n-gram that is counted.

    Source: Chen and Goodman (1999), section 3, the interpolated form with three discounts.

    Example:
        >>> bigrams = KneserNey(np.array([0, 1, 0, 1, 1, 0, 2, 0, 1]), vocab_size=3, order=2)
        >>> np.exp([bigrams.log_probabilities(np.array([0, w]))[1] for w in range(3)]).round(3)
        array([0.182, 0.557, 0.261])
    """

    def __init__(self, ids: Int[np.ndarray, " n"], vocab_size: int, order: int) -> None:
        """Count the n-grams of each length."""
        self.vocab_size, self.order = vocab_size, order
        self._ngrams: list[np.ndarray] = []
        self._seen: list[_Counts] = []
        self._before: list[_Counts] = []  # how many tokens occur before an n-gram, for all but the longest
        starts = np.zeros(len(ids) + 1, dtype=np.int64)  # at each place, the number of the n-gram that starts there
        for length in range(1, order + 1):
            # An n-gram is known by its last token and what is before it: those with the same beginning are adjacent.
            keys = starts[: len(ids) - length + 1] * vocab_size + ids[length - 1 :]  # (n - length + 1,)
            ngrams, longer = np.unique(keys, return_inverse=True)
            if length > 1:
                ends = np.empty(len(ngrams), dtype=np.int64)  # the number of the n-gram without its first token
                ends[longer] = starts[1 : len(longer) + 1]
                tokens_before = np.bincount(ends, minlength=len(self._ngrams[-1]))
                self._before.append(self._counts(tokens_before))
            self._ngrams.append(ngrams)
            self._seen.append(self._counts(np.bincount(longer)))
            starts = longer

    def log_probabilities(self, ids: Int[np.ndarray, " n"], order: int | None = None) -> Float[np.ndarray, " n"]:
        """Return log p of each token of a text after those before it, from n-grams of up to ``order`` tokens."""
        order = self.order if order is None else order
        p = np.full(len(ids), 1 / self.vocab_size)
        before = np.zeros(len(ids), dtype=np.int64)  # the n-gram before each token; -1 where there is none
        for length in range(1, order + 1):
            ngrams = self._ngrams[length - 1]
            keys = before * self.vocab_size + ids
            places = np.minimum(np.searchsorted(ngrams, keys), len(ngrams) - 1)
            found = np.where((before >= 0) & (ngrams[places] == keys), places, -1)
            counts = self._seen if length == order else self._before
            p = counts[length - 1].interpolated(before, found, p)
            before = np.concatenate([[-1], found[:-1]])
        logs: np.ndarray = np.log(p)
        return logs

    def _counts(self, counts: np.ndarray) -> "_Counts":
        """The counts of the n-grams that are the longest so far."""
        n_shorter = len(self._ngrams[-2]) if len(self._ngrams) > 1 else 1
        return _Counts(counts, self._ngrams[-1] // self.vocab_size, n_shorter)


class _Counts:
    """The counts of n-grams of one length, less what is taken for what was not seen, and their beginnings."""

    def __init__(self, counts: np.ndarray, beginnings: np.ndarray, n_beginnings: int) -> None:
        taken = _discounts(counts)[np.minimum(counts, 3)]
        self.kept = counts - taken
        self.totals = np.bincount(beginnings, counts, n_beginnings)
        self.taken = np.bincount(beginnings, taken, n_beginnings)

    def interpolated(self, before: np.ndarray, found: np.ndarray, p: np.ndarray) -> Float[np.ndarray, " n"]:
        """Mix with the probabilities of shorter n-grams; these stay where nothing was counted."""
        totals = np.where(before >= 0, self.totals[before], 0)
        kept = np.where(found >= 0, self.kept[found], 0)
        return np.where(totals > 0, (kept + self.taken[before] * p) / np.maximum(totals, 1), p)


def _discounts(counts: np.ndarray) -> Float[np.ndarray, "4"]:
    """What is taken from a count of 0, 1, 2, and 3 and more.

    An estimate needs n-grams with its count and with the next, which a short text may lack: then half of the count is
    taken.
    A little is taken always, or else what was not seen would be impossible.
    """
    n = np.bincount(np.minimum(counts, 5), minlength=6)[:5].astype(float)  # n-grams with a count of 0 to 4
    y = n[1] / (n[1] + 2 * n[2]) if n[1] else 0.5
    taken = [i - (i + 1) * y * n[i + 1] / n[i] if n[i] * n[i + 1] else i / 2 for i in (1, 2, 3)]
    return np.array([0.0, *np.clip(taken, 0.1, (1, 2, 3))])


def bits_per_byte(rival: KneserNey, tokenizer: BPETokenizer, text: str, order: int | None = None) -> float:
    """Measure the surprise of counted n-grams at a text: bits per byte, whatever the tokens are."""
    ids = np.array(tokenizer.encode(text))
    return float(-rival.log_probabilities(ids, order).sum() / math.log(2) / len(text.encode()))


def compressed_bits_per_byte(known: str, text: str) -> float:
    """Measure what a text adds to the file that ``xz`` makes of the text before it: bits for each of its bytes.

    It looks back over eight million bytes, its default.

    Example:
        >>> once = " ".join(str(n**3) for n in range(1000))
        >>> compressed_bits_per_byte("", once) > 3, compressed_bits_per_byte(once, once) < 0.1
        (True, True)
    """
    sizes = [len(lzma.compress(part.encode())) for part in (known, known + text)]
    return 8 * (sizes[1] - sizes[0]) / len(text.encode())
