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


def _causal(q, k, v, chunk=0):
    return F.scaled_dot_product_attention(q, k, v, F.causal_mask(len(q)))[0]


def _in_blocks(q, k, v, chunk, *, scale=0.5, shift=True, mask="causal"):
    rows = []
    for start in range(0, len(q), chunk):
        stop = min(start + chunk, len(q))
        n_keys = {"causal": stop, "block": stop, "before": start or stop, "none": len(k)}[mask]
        scores = q[start:stop] @ k[:n_keys].T / q.shape[-1] ** scale
        if mask == "causal":
            scores = np.where(np.arange(start, stop)[:, None] >= np.arange(n_keys), scores, -np.inf)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True)) if shift else np.exp(scores)
        rows.append(e @ v[:n_keys] / e.sum(axis=-1, keepdims=True))
    return np.concatenate(rows)


def _drops_the_rest(q, k, v, chunk):
    n = max(len(q) // chunk, 1) * chunk
    return np.pad(_in_blocks(q[:n], k[:n], v[:n], chunk), ((0, max(len(q) - n, 0)), (0, 0)))


def _keeps_blocks_apart(q, k, v, chunk):
    blocks = [slice(start, start + chunk) for start in range(0, len(q), chunk)]
    return np.concatenate([_causal(q[block], k[block], v[block]) for block in blocks])


def _keeps_no_maximum(q, k, v, chunk):
    """Add up blocks of keys, each shifted by a maximum of its own, as if the shifts were one."""
    output, total = np.zeros((len(q), v.shape[-1])), np.zeros((len(q), 1))
    for start in range(0, len(q), chunk):
        scores = q @ k[start : start + chunk].T / np.sqrt(q.shape[-1])
        seen = np.arange(len(q))[:, None] >= np.arange(start, start + scores.shape[1])
        e = np.where(seen, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
        output, total = output + e @ v[start : start + chunk], total + e.sum(axis=-1, keepdims=True)
    return output / total


@chapter.write(
    "Attention in blocks · hard · 8 points · 60 minutes · may use NumPy",
    right=lambda q, k, v, chunk: F.streaming_attention(q, k, v, F.causal_blocks(len(q)), chunk=chunk),
    wrong={
        "computes everything at once": _causal,
        "sees the whole block": lambda *case: _in_blocks(*case, mask="block"),
        "ignores the mask": lambda *case: _in_blocks(*case, mask="none"),
        "leaves the block on the diagonal out": lambda *case: _in_blocks(*case, mask="before"),
        "forgets the scale": lambda *case: _in_blocks(*case, scale=0.0),
        "does not shift": lambda *case: _in_blocks(*case, shift=False),
        "drops the last block": _drops_the_rest,
        "keeps blocks apart": _keeps_blocks_apart,
        "merges sums with different shifts": _keeps_no_maximum,
    },
)
class streaming:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.zeros((3, 2)), np.zeros((3, 2)), np.array([[3.0], [6.0], [9.0]]), 2)
        expect_close(got, [[3.0], [4.5], [6.0]], "q = k = 0, v = 3, 6, 9")

    def the_result_does_not_depend_on_the_block(self, answer, rng):
        q, k, v = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)), rng.normal(size=(12, 5))
        for chunk in (3, 4, 12):
            expect_close(answer(q, k, v, chunk), _causal(q, k, v), f"12 tokens in blocks of {chunk}")

    def a_last_block_that_is_not_full(self, answer, rng):
        q, k, v = rng.normal(size=(3, 11, 4))
        for chunk in (4, 20):
            expect_close(answer(q, k, v, chunk), _causal(q, k, v), f"11 tokens in blocks of {chunk}")

    def scores_of_any_size(self, answer, rng):
        q, k, v = rng.normal(size=(3, 8, 4))
        expect_close(answer(3000 * q, k, v, 3), _causal(3000 * q, k, v), "scores of some thousand")

    def never_all_scores_at_a_time(self, answer, rng):
        T = 2048
        peak = peak_memory(answer, *rng.normal(size=(3, T, 4)), 64) / (8 * T * T)
        # A block of rows of scores has 64 T numbers; three such blocks are less than a tenth of T².
        assert peak <= 0.3, f"expected less than 0.3 T² numbers at a time for T={T}, got {peak:.1f} T²"
