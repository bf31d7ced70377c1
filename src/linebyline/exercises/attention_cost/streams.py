"""The exercises on scores that come as a stream, and on attention in blocks."""

import math

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, instead, peak_memory

chapter = Chapter("attention_cost", np=np)


@chapter.diagnose(
    "stream",
    "A stream of scores",
    "medium · 3 points · 15 minutes · may use NumPy",
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
        "takes each block from its own maximum": (
            "total = total * np.exp(m - new) + np.exp(scores - scores.max()).sum()"
        ),
        "does not shift at all": "new = 0.0; total = total + np.exp(scores).sum()",
        "forgets the blocks before": "total = np.exp(scores - new).sum()",
        "keeps the first maximum": instead(6, "m = new if m == -np.inf else m"),
        "starts the maximum at 0": also(1, "m, total = 0.0, 0.0"),
        "keeps all blocks": also(1, "m, total, blocks = -np.inf, 0.0, list(blocks)"),
        "does not look for hidden blocks": also(4, "if True:"),
        "returns the sum without its maximum": also(7, "return np.log(total)"),
    },
)
def _(law):
    @law("a case worked by hand")
    def _(answer, rng):
        expect_close(answer(iter([np.log([1.0, 2.0]), np.log([5.0])])), math.log(8.0), "log 1, log 2 and log 5")

    @law("blocks of any size")
    def _(answer, rng):
        blocks = [10 * rng.normal(size=n) for n in (3, 1, 7, 2)]
        whole = np.concatenate(blocks)
        expected = whole.max() + np.log(np.exp(whole - whole.max()).sum())
        expect_close(answer(iter(blocks)), expected, "four blocks of 3, 1, 7 and 2 scores")

    @law("a maximum that rises, and one that falls")
    def _(answer, rng):
        blocks = [np.full(2, 1000.0 * i) for i in range(-1, 3)]
        expect_close(answer(iter(blocks)), 2000 + math.log(2), "scores that rise from -1000 to 2000")
        expect_close(answer(iter(blocks[::-1])), 2000 + math.log(2), "scores that fall from 2000 to -1000")
        expect_close(answer(iter(blocks[:1])), -1000 + math.log(2), "scores of -1000 only")

    @law("masked scores")
    def _(answer, rng):
        hidden = np.full(3, -np.inf)
        expect_close(answer(iter([hidden, np.zeros(2), hidden])), math.log(2), "-inf before and after two zeros")
        expect_close(answer(iter([hidden, hidden])), -np.inf, "nothing but -inf")

    @law("one block at a time")
    def _(answer, rng):
        def overwritten():
            block = np.empty(2)
            for i in range(100):
                block[:] = i % 7
                yield block

        expected = math.log(sum(2 * math.exp(i % 7) for i in range(100)))
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
    whole = max(len(q) // chunk, 1) * chunk
    output = np.zeros((len(q), v.shape[-1]))
    output[:whole] = _in_blocks(q[:whole], k[:whole], v[:whole], chunk)
    return output


def _keeps_blocks_apart(q, k, v, chunk):
    blocks = [slice(start, start + chunk) for start in range(0, len(q), chunk)]
    return np.concatenate([_causal(q[block], k[block], v[block]) for block in blocks])


def _keeps_no_maximum(q, k, v, chunk):
    """Add up blocks of keys, each shifted by a maximum of its own, as if the shifts were one."""
    output, total = np.zeros((len(q), v.shape[-1])), np.zeros((len(q), 1))
    for start in range(0, len(q), chunk):
        scores = q @ k[start : start + chunk].T / math.sqrt(q.shape[-1])
        seen = np.arange(len(q))[:, None] >= np.arange(start, start + scores.shape[1])
        e = np.where(seen, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
        output, total = output + e @ v[start : start + chunk], total + e.sum(axis=-1, keepdims=True)
    return output / total


@chapter.write(
    "streaming",
    "Attention in blocks",
    "hard · 8 points · 60 minutes · may use NumPy",
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
def _(law):
    def expect_causal(answer, q, k, v, chunk, what):
        expect_close(answer(q, k, v, chunk), _causal(q, k, v), what)

    @law("a case worked by hand")
    def _(answer, rng):
        q = k = np.zeros((3, 2))
        got = answer(q, k, np.array([[3.0], [6.0], [9.0]]), 2)
        expect_close(got, [[3.0], [4.5], [6.0]], "q = k = 0, v = 3, 6, 9")

    @law("the result does not depend on the block")
    def _(answer, rng):
        q, k, v = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)), rng.normal(size=(12, 5))
        for chunk in (3, 4, 12):
            expect_causal(answer, q, k, v, chunk, f"12 tokens in blocks of {chunk}")

    @law("a last block that is not full")
    def _(answer, rng):
        q, k, v = rng.normal(size=(3, 11, 4))
        for chunk in (4, 20):
            expect_causal(answer, q, k, v, chunk, f"11 tokens in blocks of {chunk}")

    @law("scores of any size")
    def _(answer, rng):
        q, k, v = rng.normal(size=(3, 8, 4))
        expect_causal(answer, 3000 * q, k, v, 3, "scores of some thousand")

    @law("never all scores at a time")
    def _(answer, rng):
        T = 2048
        peak = peak_memory(answer, *rng.normal(size=(3, T, 4)), 64)
        # A block of rows of scores has 64 T numbers; three such blocks are less than a tenth of T².
        if peak > 0.3 * 8 * T * T:
            amount = f"{peak / (8 * T * T):.1f} T²"
            raise AssertionError(f"expected less than 0.3 T² numbers at a time for T={T}, got {amount}")
