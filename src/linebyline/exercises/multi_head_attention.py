"""The exercises on multi-head attention, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple, instead

chapter = Chapter("multi_head_attention", np=np, F=F)

D_MODEL, HEADS, T = 512, 8, 1000


@chapter.predict(
    "One head falls silent · easy · 2 points · 5 minutes · may use pen and paper",
    ("features that change", "dimensions of the changes"),
    within=0.01,
    right=(512, 64),
    wrong={
        "A head owns rows of W_O, not columns, and a row has an entry for every feature of the output.": (64, 64),
        "Every feature changes, but the changes are sums of the 64 rows that the head owns.": (512, 512),
        "It is the other way round: what a head finds is narrow, and W_O spreads it over all features.": (64, 512),
        "This would be right if each head wrote to features of its own. But all write to all of them.": (448, 448),
        "A head adds more than a multiple of one vector to a token: it has 64 rows to combine.": (512, 1),
    },
)
def silenced(rng):
    x = rng.normal(size=(T, D_MODEL))
    w_q, w_k, w_v, w_o = rng.normal(size=(4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    silenced = w_o.copy()
    silenced[: D_MODEL // HEADS] = 0.0  # the rows of head 0

    def output(w):
        return F.multi_head_attention(x, x, w_q, w_k, w_v, w, n_heads=HEADS)[0]

    change = output(w_o) - output(silenced)  # (T, D_MODEL)
    return int((np.abs(change[0]) > 1e-12).sum()), int(np.linalg.matrix_rank(change, rtol=1e-9))


@chapter.predict(
    "What sharing saves · easy · 2 points · 5 minutes · may use pen and paper",
    ("share of the cache", "share of the parameters"),
    within=0.01,
    right=(2 / 8, (64 * 64 * 2 + 64 * 16 * 2) / (4 * 64 * 64)),
    wrong={
        "The cache is right. But the queries keep all their heads, and W_O keeps its size.": (1 / 4, 1 / 4),
        "The cache is right. But keys and values still have matrices, although narrower ones.": (1 / 4, 1 / 2),
        "The parameters are right. But a cache contains no queries, so all of it shrinks.": (5 / 8, 5 / 8),
        "Four heads of queries share one head, and the cache keeps the two shared heads, not one.": (1 / 8, 9 / 16),
        "Both keys and values shrink, so count both in the parameters.": (1 / 4, 13 / 16),
    },
)
def shared(rng):
    import torch  # not before: the other exercises of the chapter do without it

    from clearformer.nn import MultiHeadAttention

    x = torch.zeros(int(rng.integers(2, 9)), 64)

    def sizes(n_kv_heads):
        attention = MultiHeadAttention(64, 8, n_kv_heads, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            cache = attention.keys_values(x)
        return np.array([cache.k.numel() + cache.v.numel(), sum(p.numel() for p in attention.parameters())])

    return sizes(2) / sizes(8)


def _draw(rng, T=5, d_model=6):
    return [rng.normal(size=(T, d_model)), *rng.normal(size=(4, d_model, d_model))]


@chapter.diagnose(
    "Right shapes, wrong rows · medium · 4 points · 5 minutes · may use NumPy and `F`",
    """
def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (F.split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
?   This is the package's split: one head after the other, each with the columns that belong to it.
    mask = F.causal_mask(len(x))
?   This is true where a query may look. It is the same for all heads, so it broadcasts.
    heads, _ = F.scaled_dot_product_attention(q, k, v, mask)
?   The axis of the heads is a batch axis here, the divisor is that of one head, and no row looks ahead.
    side_by_side = heads.reshape(len(x), -1)
!   side_by_side = heads.swapaxes(0, 1).reshape(len(x), -1)
?   The heads come as (n_heads, T, d_v), and a reshape reads them in that order: all positions of head 0, then all
?   of head 1. The axes have to be swapped first, so that all heads of one position are next to each other.
    return side_by_side @ w_o
?   W_O adds up what is side by side. It can only mix numbers of one row, so the leak comes from a line above.
""",
    wrong={
        "turns all three axes round": "side_by_side = heads.T.reshape(len(x), -1)",
        "reshapes to columns and transposes": "side_by_side = heads.reshape(-1, len(x)).T",
        "swaps positions and features": "side_by_side = heads.swapaxes(1, 2).reshape(len(x), -1)",
        "deals the features of the heads out in turn": "side_by_side = np.moveaxis(heads, 0, -1).reshape(len(x), -1)",
        "averages the heads": "side_by_side = np.tile(heads.mean(axis=0), n_heads)",
        "splits by the same reshape, so that both undo each other": instead(
            1, "q, k, v = ((x @ w).reshape(n_heads, len(x), -1) for w in (w_q, w_k, w_v))"
        ),
        "drops the mask": also(2, "mask = None"),
        "transposes the mask": also(2, "mask = F.causal_mask(len(x)).T"),
        "hides each token from itself": also(2, "mask = np.tri(len(x), k=-1, dtype=bool)"),
        "transposes w_o": also(5, "return side_by_side @ w_o.T"),
    },
)
class merged:
    def a_case_worked_by_hand(self, answer, rng):
        x, flat, same = np.array([[2.0, 10.0], [4.0, 30.0]]), np.zeros((2, 2)), np.eye(2)
        got = answer(x, flat, flat, same, same, 2)
        expect_close(got, [[2.0, 10.0], [3.0, 20.0]], "two heads of width 1 that average what they may see")

    def the_definition(self, answer, rng):
        case = _draw(rng)
        expected, _ = F.multi_head_attention(case[0], *case, n_heads=3, mask=F.causal_mask(5))
        expect_close(answer(*case, 3), expected, "5 tokens of width 6, 3 heads")

    def a_single_head_is_attention_and_w_o(self, answer, rng):
        """a single head is attention and w_o"""
        x, w_q, w_k, w_v, w_o = case = _draw(rng)
        expected, _ = F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, F.causal_mask(5))
        expect_close(answer(*case, 1), expected @ w_o, "a single head against attention and w_o")

    def no_output_depends_on_a_later_token(self, answer, rng):
        x, *weights = _draw(rng)
        other = np.where(np.arange(5)[:, None] == 4, rng.normal(size=x.shape), x)
        before, after = (np.asarray(answer(array, *weights, 3))[:4] for array in (x, other))
        expect_close(after, before, "another last token, 3 heads: the outputs before it")


def _copying(ids, shift=1, causal=True, normal=True, latest=False):
    """Find the keys that come ``shift`` places after the query's own token."""
    T = len(ids)
    hits = np.zeros((T, T))
    hits[:, shift:] = ids[:, None] == ids[: T - shift]
    hits = np.tril(hits) if causal else hits
    if latest:
        hits = hits * (np.arange(T) == np.where(hits.any(axis=-1), T - 1 - hits[:, ::-1].argmax(axis=-1), -1)[:, None])
    total = hits.sum(axis=-1, keepdims=True)
    return hits / np.where(total == 0, 1, total) if normal else hits


def _by_loop(ids):
    weights = np.zeros((len(ids), len(ids)))
    for t, token in enumerate(ids):
        places = [s for s in range(1, t + 1) if ids[s - 1] == token]
        weights[t, places] = 1 / max(len(places), 1)
    return weights


@chapter.write(
    "The ideal induction head · medium · 3 points · 15 minutes · may use NumPy",
    right=_by_loop,
    wrong={
        "looks at the same token, not behind it": lambda ids: _copying(ids, shift=0),
        "looks two behind": lambda ids: _copying(ids, shift=2),
        "sees the future": lambda ids: _copying(ids, causal=False),
        "forgets to share": lambda ids: _copying(ids, normal=False),
        "takes the latest place only": lambda ids: _copying(ids, latest=True),
        "looks at the token before": lambda ids: np.eye(len(ids), k=-1),
        "spreads over the past where nothing is found": lambda ids: np.where(
            _copying(ids).any(axis=-1, keepdims=True),
            _copying(ids),
            np.tri(len(ids)) / np.arange(1, len(ids) + 1)[:, None],
        ),
    },
)
class induction:
    def a_case_worked_by_hand(self, answer, rng):
        expected = np.zeros((5, 5))
        expected[2, 1] = 1  # a b a: what followed a was b
        expected[3, 2] = 1  # a b a b: what followed b was a
        expect_close(answer(np.array([0, 1, 0, 1, 2])), expected, "ids a b a b c")

    def several_earlier_places_share_the_weight(self, answer, rng):
        expected = np.zeros((5, 5))
        expected[2, 1], expected[4, 1], expected[4, 3] = 1, 0.5, 0.5
        expect_close(answer(np.array([0, 1, 0, 2, 0])), expected, "ids a b a c a: b and c followed a")

    def a_token_may_follow_itself(self, answer, rng):
        expect_close(answer(np.array([3, 3, 3])), [[0, 0, 0], [0, 1, 0], [0, 0.5, 0.5]], "ids a a a")

    def a_query_without_an_earlier_place_gets_zeros(self, answer, rng):
        expect_close(answer(rng.permutation(7)), np.zeros((7, 7)), "7 different ids: nothing to copy from")

    def on_a_repeated_sequence_it_copies_the_next_token(self, answer, rng):
        ids = np.tile(rng.permutation(11)[:6], 3)
        copied = np.asarray(answer(ids))[6:-1] @ np.eye(11)[ids]
        expect_close(copied, np.eye(11)[ids[7:]], "what the second and third round copy, against the next id")


def _step(x, w_q, w_k, w_v, kept_k, kept_v, *, mask=np.tri, order=1, share=True, keep=True):
    """Return the results of query heads that share a key-value head, and the two new caches."""
    kept, n = len(kept_k), len(x)
    k, v = (np.concatenate([old, x @ w][::order]) for old, w in ((kept_k, w_k), (kept_v, w_v)))
    q = x @ (w_q if share else np.broadcast_to(w_q[:1], w_q.shape))  # (h, n, d_k)
    shared_k, shared_v = (np.broadcast_to(each, (len(q), *each.shape)) for each in (k, v))  # (h, kept + n, d_k)
    y, _ = F.scaled_dot_product_attention(q, shared_k, shared_v, mask(n, kept + n, kept).astype(bool))
    return (y, k, v) if keep else (y, k[kept:], v[kept:])


def _tokens(rng, T=5, d_model=6, d_k=4, h=3):
    x, w_q = rng.normal(size=(T, d_model)), rng.normal(size=(h, d_model, d_k))
    return x, (w_q, *rng.normal(size=(2, d_model, d_k))), (np.zeros((0, d_k)), np.zeros((0, d_k)))


def _in_runs(answer, x, matrices, caches, sizes):
    """Call an answer once for each run of new tokens, and join its results."""
    found = []
    for part in np.split(x, np.cumsum(sizes)[:-1]):
        y, *caches = expect_tuple(answer(part, *matrices, *caches), 3)
        found.append(np.asarray(y))
    return np.concatenate(found, axis=1), *caches


@chapter.write(
    "A cache for shared heads · medium · 4 points · 15 minutes · may use NumPy and `F`",
    right=_step,
    wrong={
        "has no mask": lambda *case: _step(*case, mask=lambda n, kept_and_n, kept: np.ones((n, kept_and_n))),
        "does not move the diagonal past the kept tokens": lambda *case: _step(
            *case, mask=lambda n, kept_and_n, kept: np.tri(n, kept_and_n)
        ),
        "hides each new token from itself": lambda *case: _step(
            *case, mask=lambda n, kept_and_n, kept: np.tri(n, kept_and_n, kept - (kept > 0))
        ),
        "puts the new keys and values first": lambda *case: _step(*case, order=-1),
        "gives every head the first query": lambda *case: _step(*case, share=False),
        "keeps the new keys and values only": lambda *case: _step(*case, keep=False),
        "swaps keys and values": lambda x, w_q, w_k, w_v, kept_k, kept_v: _step(x, w_q, w_v, w_k, kept_k, kept_v),
        "forgets the kept tokens": lambda x, w_q, w_k, w_v, kept_k, kept_v: _step(
            x, w_q, w_k, w_v, kept_k[:0], kept_v[:0]
        ),
    },
)
class shared_cache:
    def a_case_worked_by_hand(self, answer, rng):
        x, w_q = np.array([[1.0, 1.0]]), np.array([[[1.0, 1], [0, 2]], [[-1, 1], [0, 1]]])
        w_k, w_v = np.array([[2.0, 0], [1, 1]]), np.array([[0.0, 1], [2, 0]])
        kept_k, kept_v = np.array([[2.0, 0], [1, 1]]), np.array([[0.0, 1], [2, 0]])
        y, k, v = expect_tuple(answer(x, w_q, w_k, w_v, kept_k, kept_v), 3)
        expect_close(k, [[2, 0], [1, 1], [3, 1]], "ice after Dan and loves: the keys")
        expect_close(v, [[0, 1], [2, 0], [2, 1]], "ice after Dan and loves: the values")
        expect_close(np.round(y, 2), [[[1.91, 0.81]], [[1.82, 0.27]]], "ice after Dan and loves: two query heads")

    def one_by_one_gives_the_same_as_at_once(self, answer, rng):
        x, matrices, caches = _tokens(rng)
        at_once, one_by_one = (_in_runs(answer, x, matrices, caches, sizes) for sizes in ((5,), (1,) * 5))
        expect_close(one_by_one[0], at_once[0], "5 tokens one by one against all at once")

    def several_new_tokens_may_follow_kept_ones(self, answer, rng):
        x, matrices, caches = _tokens(rng)
        expected = _in_runs(_step, x, matrices, caches, (5,))
        for got, right in zip(_in_runs(answer, x, matrices, caches, (3, 2)), expected, strict=True):
            expect_close(got, right, "3 tokens, and then 2 more")

    def the_definition(self, answer, rng):
        x, matrices, caches = _tokens(rng)
        w_q, w_k, w_v = matrices
        k, v = (np.broadcast_to(x @ w, (3, 5, 4)) for w in (w_k, w_v))
        expected, _ = F.scaled_dot_product_attention(x @ w_q, k, v, F.causal_mask(5))
        expect_close(_in_runs(answer, x, matrices, caches, (5,))[0], expected, "5 tokens and empty caches")
