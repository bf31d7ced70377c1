"""The exercises on what attention costs, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, instead, peak_memory

chapter = Chapter("attention_cost", np=np)


@chapter.predict(
    "Half of the work, with shared keys · easy · 2 points · 10 minutes · may use a pocket calculator",
    "tokens",
    within=0.01,
    right=5.125 * 512,
    wrong={
        "This is so where each head has keys and values of its own; here their two matrices are smaller.": 3072,
        "One head of keys and values is little, but not nothing: two matrices are left.": 2560,
        "Two products are between tokens: the scores, and the sums of the values.": 5248,
        "Eight heads of width 64 do as many operations as one of width 512: heads share the width.": 328,
        "Sharing saves no work between tokens: each query head still meets every key.": 20992,
    },
)
def layer_flops(rng, d_model=512, d_k=64):
    """Count the operations of all products at two lengths, and solve for equality."""
    N = rng.integers(100, 10_000, size=2)  # any two will do: one count is linear in N, the other quadratic
    attention = 2 * d_model * d_model + 2 * d_model * d_k  # queries and output, keys and values
    weights = 2 * N * (attention + 2 * d_model * 4 * d_model)
    pairs = 2 * (2 * N * N * d_model)  # scores, and sums of values, of eight heads of width 64
    return np.mean(weights / pairs * N)


def _partial(scores, values):
    """Return the largest score, the sum of exp(scores - largest) and the output of a part of the keys."""
    m = scores.max(axis=-1)
    e = np.exp(scores - m[..., None])
    return m, e.sum(axis=-1), e @ values / e.sum(axis=-1)[..., None]


def _merge(a, b, *, rescale=True, divide=True, safe=True, largest=np.maximum):
    m = largest(a[0], b[0])
    shift = np.where(np.isinf(m), 0, m) if safe else m
    factors = [np.exp(part[0] - shift) if rescale else np.ones_like(m) for part in (a, b)]
    total = factors[0] * a[1] + factors[1] * b[1]
    output = sum((f * part[1])[..., None] * part[2] for f, part in zip(factors, (a, b), strict=True))
    return m, total, output / (np.where(total == 0, 1, total) if safe else total)[..., None] if divide else output


def _merge_by_logarithms(a, b):
    m = np.maximum(a[0], b[0])
    with np.errstate(divide="ignore"):
        logs = np.stack([part[0] + np.log(part[1]) for part in (a, b)], axis=-1)
    fractions = F.softmax(logs)
    total = np.exp(np.logaddexp.reduce(logs, axis=-1) - np.where(np.isinf(m), 0, m))
    return m, total, fractions[..., :1] * a[2] + fractions[..., 1:] * b[2]


@chapter.write(
    "Merge two partial results · medium · 4 points · 20 minutes · may use NumPy",
    entry="merge_outputs",
    right=_merge_by_logarithms,
    wrong={
        "adds the sums as they are": lambda a, b: _merge(a, b, rescale=False),
        "averages the outputs": lambda a, b: (*_merge(a, b)[:2], (a[2] + b[2]) / 2),
        "weighs the outputs by l alone": lambda a, b: (*_merge(a, b)[:2], _merge(a, b, rescale=False)[2]),
        "forgets to divide": lambda a, b: _merge(a, b, divide=False),
        "shifts by the smaller maximum": lambda a, b: _merge(a, b, largest=np.minimum),
        "subtracts infinity from infinity": lambda a, b: _merge(a, b, safe=False),
        "undoes the shifts first": lambda a, b: (
            np.maximum(a[0], b[0]),
            (a[1] * np.exp(a[0]) + b[1] * np.exp(b[0])) / np.exp(np.maximum(a[0], b[0])),
            _merge(a, b)[2],
        ),
        "returns the output only": lambda a, b: _merge(a, b)[2],
    },
)
class merge:
    def _expect_three(self, got, expected, what):
        if not isinstance(got, tuple) or len(got) != 3:
            raise AssertionError(f"{what}: expected three arrays (m, l, y), got {type(got).__name__}")
        for name, part, right in zip("mly", got, expected, strict=True):
            expect_close(part, right, f"{what}, {name}")

    def a_case_worked_by_hand(self, answer, rng):
        one, other = (np.zeros(1), np.ones(1), np.array([[4.0]])), (np.log([3.0]), np.ones(1), np.array([[8.0]]))
        self._expect_three(answer(one, other), (np.log([3.0]), [4 / 3], [[7.0]]), "scores 0 and log 3, values 4 and 8")

    def two_parts_make_the_whole(self, answer, rng):
        scores, values = rng.normal(size=(3, 7)), rng.normal(size=(7, 2))
        parts = _partial(scores[:, :2], values[:2]), _partial(scores[:, 2:], values[2:])
        self._expect_three(answer(*parts), _partial(scores, values), "2 keys and 5 keys against all 7")

    def in_any_order(self, answer, rng):
        scores, values = 10 * rng.normal(size=(3, 9)), rng.normal(size=(9, 2))
        a, b, c = (_partial(scores[:, i : i + 3], values[i : i + 3]) for i in (0, 3, 6))
        self._expect_three(answer(answer(c, a), b), _partial(scores, values), "three parts, the last first")

    def scores_that_exp_alone_does_not_survive(self, answer, rng):
        scores, values = np.array([[-2000.0, 1000.0, 1000.0, -2000.0]]), rng.normal(size=(4, 2))
        parts = _partial(scores[:, :2], values[:2]), _partial(scores[:, 2:], values[2:])
        self._expect_three(answer(*parts), _partial(scores, values), "scores of 1000 and -2000")

    def nothing_changes_nothing(self, answer, rng):
        some = _partial(rng.normal(size=(3, 4)), rng.normal(size=(4, 2)))
        nothing = np.full(3, -np.inf), np.zeros(3), np.zeros((3, 2))
        self._expect_three(answer(nothing, some), some, "nothing, (-inf, 0, 0), and something")
        self._expect_three(answer(some, nothing), some, "something and nothing")
        self._expect_three(answer(nothing, nothing), nothing, "nothing and nothing")


@chapter.diagnose(
    "A stream of scores · medium · 3 points · 15 minutes · may use NumPy",
    """
def logsumexp_of_stream(blocks):
    m, total = -np.inf, 0.0
?   Before the first block there is no score, so the largest is minus infinity and the sum is 0.
    for scores in blocks:
?   Each block is read once and in order, as a stream must be.
        new = max(m, scores.max())
?   This is the largest score so far, of the old blocks and of this one.
        if new > -np.inf:
?   Where all scores so far are minus infinity there is nothing to add, and inf - inf would be NaN.
            total = total + np.exp(scores - new).sum()
!   total = total * np.exp(m - new) + np.exp(scores - new).sum()
?   The sum so far was counted from the old maximum. When a larger score comes, it must be scaled down to the new
?   one before anything is added.
            m = new
?   The maximum is replaced after it was used. Look at what the line before makes of the old one.
    return m + np.log(total) if total > 0 else -np.inf
?   The logarithm of the sum, with the maximum put back; minus infinity if nothing was seen.
""",
    wrong={
        "scales up in place of down": "total = total * np.exp(new - m) + np.exp(scores - new).sum()",
        "scales the new block as well": "total = (total + np.exp(scores - new).sum()) * np.exp(m - new)",
        "takes blocks from their own maximum": "total = total * np.exp(m - new) + np.exp(scores - scores.max()).sum()",
        "does not shift at all": "new = 0.0; total = total + np.exp(scores).sum()",
        "forgets the blocks before": "total = np.exp(scores - new).sum()",
        "keeps the first maximum": instead(6, "m = new if m == -np.inf else m"),
        "starts the maximum at 0": also(1, "m, total = 0.0, 0.0"),
        "keeps all blocks": also(1, "m, total, blocks = -np.inf, 0.0, list(blocks)"),
        "does not look for hidden blocks": also(4, "if True:"),
        "returns the sum without its maximum": also(7, "return np.log(total)"),
    },
)
class stream:
    def a_case_worked_by_hand(self, answer, rng):
        expect_close(answer(iter([np.log([1.0, 2.0]), np.log([5.0])])), np.log(8.0), "log 1, log 2 and log 5")

    def blocks_of_any_size(self, answer, rng):
        blocks = [10 * rng.normal(size=n) for n in (3, 1, 7, 2)]
        expected = np.logaddexp.reduce(np.concatenate(blocks))
        expect_close(answer(iter(blocks)), expected, "four blocks of 3, 1, 7 and 2 scores")

    def a_maximum_that_rises__and_one_that_falls(self, answer, rng):
        blocks = [np.full(2, 1000.0 * i) for i in range(-1, 3)]
        expect_close(answer(iter(blocks)), 2000 + np.log(2), "scores that rise from -1000 to 2000")
        expect_close(answer(iter(blocks[::-1])), 2000 + np.log(2), "scores that fall from 2000 to -1000")
        expect_close(answer(iter(blocks[:1])), -1000 + np.log(2), "scores of -1000 only")

    def masked_scores(self, answer, rng):
        hidden = np.full(3, -np.inf)
        expect_close(answer(iter([hidden, np.zeros(2), hidden])), np.log(2), "-inf before and after two zeros")
        expect_close(answer(iter([hidden, hidden])), -np.inf, "nothing but -inf")

    def one_block_at_a_time(self, answer, rng):
        def overwritten():
            block = np.empty(2)
            for i in range(100):
                block[:] = i % 7
                yield block

        expected = np.log(sum(2 * np.exp(i % 7) for i in range(100)))
        expect_close(answer(overwritten()), expected, "100 blocks in one array that is overwritten")


def _in_window(q, k, v, chunk=0, window=0):
    t, s = np.arange(len(q))[:, None], np.arange(len(k))
    return F.scaled_dot_product_attention(q, k, v, (s <= t) & (t - s < window))[0]


def _by_package(q, k, v, chunk, window):
    def mask(t, s):
        return (s <= t[:, None]) & (t[:, None] - s < window)

    return F.streaming_attention(q, k, v, mask, chunk=chunk)


def _in_tiles(q, k, v, chunk, window, *, scale=0.5, shift=True, safe=True, rescale=True, future=0):
    output = np.zeros((len(q), v.shape[-1]))
    for start in range(0, len(q), chunk):
        t = np.arange(start, min(start + chunk, len(q)))[:, None]
        m, total, o = np.full(t.shape, -np.inf), np.zeros(t.shape), np.zeros((len(t), v.shape[-1]))
        for first in range(0, start + len(t), chunk):
            s = np.arange(first, min(first + chunk, start + len(t)))
            scores = q[t[:, 0]] @ k[s].T / q.shape[-1] ** scale
            scores = np.where((s <= t + future) & (t - s < window), scores, -np.inf)
            new = np.maximum(m, scores.max(axis=-1, keepdims=True))
            base = np.where(np.isinf(new), 0, new) if safe else new
            e = np.exp(scores - base) if shift else np.exp(scores)
            factor = np.exp(m - base) if rescale and shift else 1
            m, total, o = new, factor * total + e.sum(axis=-1, keepdims=True), factor * o + e @ v[s]
        output[start : start + len(t)] = o / total
    return output


def _whole_rows(q, k, v, chunk, window):
    rows = []
    for start in range(0, len(q), chunk):
        stop = min(start + chunk, len(q))
        t, s = np.arange(start, stop)[:, None], np.arange(stop)
        scores = q[start:stop] @ k[:stop].T / np.sqrt(q.shape[-1])
        rows.append(F.softmax(np.where((s <= t) & (t - s < window), scores, -np.inf)) @ v[:stop])
    return np.concatenate(rows)


def _drops_the_rest(q, k, v, chunk, window):
    n = max(len(q) // chunk, 1) * chunk
    return np.pad(_in_tiles(q[:n], k[:n], v[:n], chunk, window), ((0, max(len(q) - n, 0)), (0, 0)))


def _keeps_blocks_apart(q, k, v, chunk, window):
    blocks = [slice(start, start + chunk) for start in range(0, len(q), chunk)]
    return np.concatenate([_in_window(q[block], k[block], v[block], chunk, window) for block in blocks])


@chapter.write(
    "Attention in blocks, with a window · hard · 8 points · 60 minutes · may use NumPy",
    right=_by_package,
    wrong={
        "computes everything at once": _in_window,
        "takes whole rows": _whole_rows,
        "sees the whole block": lambda *case: _in_tiles(*case, future=case[3]),
        "ignores the window": lambda q, k, v, chunk, window: _in_tiles(q, k, v, chunk, len(k)),
        "sees one token too many": lambda q, k, v, chunk, window: _in_tiles(q, k, v, chunk, window + 1),
        "forgets the scale": lambda *case: _in_tiles(*case, scale=0.0),
        "does not shift": lambda *case: _in_tiles(*case, shift=False),
        "drops the last block": _drops_the_rest,
        "keeps blocks apart": _keeps_blocks_apart,
        "merges sums with different shifts": lambda *case: _in_tiles(*case, rescale=False),
        "subtracts infinity from infinity": lambda *case: _in_tiles(*case, safe=False),
    },
)
class streaming:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.zeros((3, 2)), np.zeros((3, 2)), np.array([[3.0], [6.0], [9.0]]), 2, 2)
        expect_close(got, [[3.0], [4.5], [7.5]], "q = k = 0, v = 3, 6, 9, a window of 2")

    def the_result_does_not_depend_on_the_block(self, answer, rng):
        q, k, v = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)), rng.normal(size=(12, 5))
        for chunk, window in ((3, 12), (4, 12), (12, 12), (3, 5), (4, 5)):
            expected = _in_window(q, k, v, chunk, window)
            expect_close(answer(q, k, v, chunk, window), expected, f"12 tokens, blocks of {chunk}, window of {window}")

    def a_window_that_is_narrower_than_a_block(self, answer, rng):
        q, k, v = rng.normal(size=(3, 12, 4))
        for window in (1, 2):
            expected = _in_window(q, k, v, 6, window)
            expect_close(answer(q, k, v, 6, window), expected, f"12 tokens, blocks of 6, window of {window}")

    def a_last_block_that_is_not_full(self, answer, rng):
        q, k, v = rng.normal(size=(3, 11, 4))
        for chunk in (4, 20):
            expected = _in_window(q, k, v, chunk, 6)
            expect_close(answer(q, k, v, chunk, 6), expected, f"11 tokens, blocks of {chunk}, window of 6")

    def scores_of_any_size(self, answer, rng):
        q, k, v = rng.normal(size=(3, 8, 4))
        expect_close(answer(3000 * q, k, v, 3, 8), _in_window(3000 * q, k, v, 3, 8), "scores of some thousand")

    def never_whole_rows_at_a_time(self, answer, rng):
        T = 2048
        peak = peak_memory(answer, *rng.normal(size=(3, T, 4)), 64, T) / (8 * T)
        # The rows of a block have 64 T numbers; a tile has 2 T, and the output 4 T.
        assert peak <= 40, f"expected less than 40 T numbers at a time for T={T}, got {peak:.0f} T"
