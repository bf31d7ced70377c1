"""The exercises on the language model, in the order of the chapter."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close

chapter = Chapter("language_model", np=np)


def _loss(logits, ids):
    return -F.log_softmax(logits[:-1])[np.arange(len(ids) - 1), ids[1:]].mean()


@chapter.write(
    "Shift by one · easy · 2 points · 10 minutes · may use NumPy and `F.log_softmax`",
    entry="next_token_loss",
    right=lambda z, ids: np.mean([np.logaddexp.reduce(row) - row[t] for row, t in zip(z, ids[1:], strict=False)]),
    wrong={
        "does not shift": lambda z, ids: -F.log_softmax(z)[np.arange(len(ids)), ids].mean(),
        "shifts the other way": lambda z, ids: -F.log_softmax(z[1:])[np.arange(len(ids) - 1), ids[:-1]].mean(),
        "sums instead of averaging": lambda z, ids: _loss(z, ids) * (len(ids) - 1),
        "divides by T": lambda z, ids: _loss(z, ids) * (len(ids) - 1) / len(ids),
        "counts in bits": lambda z, ids: _loss(z, ids) / math.log(2),
        "forgets the sign": lambda z, ids: -_loss(z, ids),
        "takes the exponential as it is": lambda z, ids: (
            -np.log(np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True))[np.arange(len(ids) - 1), ids[1:]].mean()
        ),
    },
)
class loss:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.log([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]), np.array([0, 1, 2]))
        expect_close(got, -math.log(0.25 * 0.1) / 2, "ids 0 1 2, given 0.25 to 1 and then 0.1 to 2")

    def a_model_that_knows_what_comes_next_has_no_loss(self, answer, rng):
        ids = rng.integers(7, size=9)
        sure = np.where(np.arange(7) == np.append(ids[1:], 0)[:, None], 50.0, 0.0)  # (9, 7)
        expect_close(answer(sure, ids), 0, "50 more for the token that comes next, at every position", atol=1e-9)

    def a_model_that_knows_nothing_loses_log_V(self, answer, rng):
        expect_close(answer(np.full((5, 6), 3.0), rng.integers(6, size=5)), math.log(6), "six tokens, equally probable")

    def large_logits_do_not_overflow(self, answer, rng):
        logits, ids = rng.normal(size=(8, 5)), rng.integers(5, size=8)
        expect_close(answer(logits + 1000, ids), _loss(logits, ids), "1000 added to every logit")


@chapter.predict(
    "The first loss · easy · 1 point · 5 minutes · may use pen and paper",
    ("loss in nats for a token", "the same in bits"),
    right=(6.93, 10.0),
    wrong={
        "This is the perplexity: its logarithm is the loss.": (1024.0, 1024.0),
        "You have exchanged the units: a bit is smaller than a nat, so there are more of them.": (10.0, 6.93),
        "This is the probability of a token, and not its surprise.": (1 / 1024, 1 / 1024),
        "A nat is 1.44 bits: divide by ln 2, do not multiply.": (6.93, 4.80),
    },
)
def first_loss(rng):
    logits, targets = np.zeros((1000, 1024)), rng.integers(1024, size=1000)
    nats = -F.log_softmax(logits)[np.arange(1000), targets].mean()
    return nats, nats / np.log(2)


@chapter.diagnose(
    "The perplexity of several texts · medium · 3 points · 10 minutes · may use NumPy",
    """
def perplexity(losses, tokens):
    counts = np.asarray(tokens, dtype=float)  # (n,)
?   These are the numbers of tokens, as floats to divide.
    share = np.full(len(counts), 1 / len(counts))  # (n,)
!   share = counts / counts.sum()  # (n,)
?   Here every text counts the same, a title as much as a chapter. The loss is a mean over tokens, so a text should
?   count by how many tokens it has.
    mean = share @ np.asarray(losses)
?   A weighted mean of the losses is right. Look at the weights.
    return np.exp(mean)
?   The perplexity is the exponential of the mean loss: average first, as here.
""",
    wrong={
        "weighs by the counts without dividing": "share = counts  # (n,)",
        "weighs by the roots of the counts": "share = counts**0.5 / (counts**0.5).sum()  # (n,)",
        "weighs short texts more": "share = (1 / counts) / (1 / counts).sum()  # (n,)",
        "averages perplexities": also(3, "mean = np.log(share @ np.exp(losses))"),
        "takes the loss to be in bits": also(4, "return 2**mean"),
        "doubles for each text": also(3, "mean = np.sum(losses)"),
    },
)
class perplexity:
    def a_case_worked_by_hand(self, answer, rng):
        expect_close(answer(np.log([4.0, 2.0]), [1, 3]), 4**0.25 * 2**0.75, "one token at 4 and three at 2")

    def texts_that_are_joined_give_the_perplexity_of_the_whole(self, answer, rng):
        surprises, tokens = rng.uniform(0, 5, size=17), [3, 2, 5, 7]
        losses = [part.mean() for part in np.split(surprises, np.cumsum(tokens)[:-1])]
        expect_close(answer(losses, tokens), np.exp(surprises.mean()), "17 tokens cut into texts of 3, 2, 5 and 7")

    def texts_of_one_length_count_the_same(self, answer, rng):
        losses = rng.uniform(0, 5, size=4)
        expect_close(answer(losses, [6, 6, 6, 6]), np.exp(losses.mean()), "four texts of 6 tokens each")

    def texts_given_twice_change_nothing(self, answer, rng):
        losses, tokens = rng.uniform(0, 5, size=3), rng.integers(1, 9, size=3)
        expect_close(answer(np.repeat(losses, 2), np.repeat(tokens, 2)), answer(losses, tokens), "each text twice")


LETTERS = "aabcabcbcbc"  # in the chapter on models that count, after which a fourth letter, d, is possible


@chapter.predict(
    "After a *b* · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("probability of c", "probability of d"),
    right=(0.875 + 0.125 * 0.175, 0.125 * 0.075),
    wrong={
        "Single letters count left neighbors, not occurrences, and in the letters d has none of either.": (
            0.875 + 0.125 * 4 / 11,
            0.0,
        ),
        "Left neighbors are discounted, too; what is taken from them goes to all four letters equally.": (
            0.875 + 0.125 * 0.2,
            0.0,
        ),
        "Without context, letters are not all equal: c has 0.175 and d 0.075.": (0.875 + 0.125 / 4, 0.125 / 4),
        "The discount is taken from the count, before it is divided by 4.": (0.5 + 0.5 * 0.175, 0.5 * 0.075),
        "What was taken must be passed on, in proportion to the probabilities without context.": (0.875, 0.0),
        "Only one count is above 0, so the discount is taken once, not four times.": (0.0, 1.0),
    },
)
def after_b(rng, discount=0.5):
    """Count the pairs of the letters, and smooth them twice."""
    pairs = Counter(pairwise(LETTERS))
    neighbors = np.array([sum(b == w for _, b in pairs) for w in "abcd"])
    counts = np.array([pairs["b", w] for w in "abcd"])
    p = np.full(4, 1 / 4)
    for each in (neighbors, counts):
        taken = discount * (each > 0)
        p = (each - taken + taken.sum() * p) / each.sum()
    return p[2:]


def _by_table(seen, bigram, pull, ids):
    counts = np.zeros((len(bigram),) * 3)
    np.add.at(counts, (seen[:-2], seen[1:-1], seen[2:]), 1)
    given = (counts + pull * bigram) / (counts.sum(axis=-1, keepdims=True) + pull)
    return given[ids[:-2], ids[1:-1], ids[2:]]


def _trigram(seen, bigram, pull, ids, *, context=2, shift=0):
    """``context`` counts the tokens before the next one that must agree."""
    grams = list(zip(*(seen[k : len(seen) - 2 + k].tolist() for k in range(2 - context, 3)), strict=True))
    whole, before = Counter(grams), Counter(gram[:-1] for gram in grams)

    def given(t):
        gram = tuple(ids[t - context : t + 1].tolist())
        return (whole[gram] + pull * bigram[ids[t - 1 - shift], ids[t]]) / (before[gram[:-1]] + pull)

    return np.array([given(t) for t in range(2, len(ids))])


@chapter.write(
    "One token more · medium · 4 points · 25 minutes · may use NumPy and Python's standard library",
    right=_by_table,
    wrong={
        "counts pairs only": lambda *args: _trigram(*args, context=1),
        "does not smooth": lambda seen, p, pull, ids: _trigram(seen, p, 1e-300, ids) * (pull > 0),
        "is pulled towards what follows the token before": lambda *args: _trigram(*args, shift=1),
        "is pulled without a share": lambda seen, p, pull, ids: _trigram(seen, p / p.max(), pull, ids),
        "reads the text backwards": lambda seen, p, pull, ids: _trigram(seen[::-1], p, pull, ids),
        "keeps the bigram": lambda seen, p, pull, ids: p[ids[1:-1], ids[2:]],
    },
)
class trigram:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([0, 1, 0, 0, 1, 1]), np.full((2, 2), 0.5), 2.0, np.array([0, 1, 0, 0]))
        expect_close(got, [2 / 4, 2 / 3], "seen 0 1 0 0 1 1, 2 imagined cases, bigram 0.5: 0 after 0 1, then after 1 0")

    def after_a_pair_that_never_came__the_bigram(self, answer, rng):
        bigram = rng.dirichlet(np.ones(5), size=5)
        got = answer(np.array([0, 1, 0, 1, 0]), bigram, 3.0, np.array([4, 2, 3, 1]))
        expect_close(got, [bigram[2, 3], bigram[3, 1]], "pairs that never came: the bigram decides")

    def the_probabilities_of_all_tokens_sum_to_one(self, answer, rng):
        seen, bigram = rng.integers(4, size=90), rng.dirichlet(np.ones(4), size=4)
        total = sum(np.asarray(answer(seen, bigram, 2.0, np.array([1, 3, c])))[0] for c in range(4))
        # The pair at the very end of the text has no successor, and may or may not be counted as a beginning.
        expect_close(total, 1, "the four probabilities after 1 3", rtol=0.1)

    def a_longer_text(self, answer, rng):
        seen, bigram, ids = rng.integers(3, size=300), rng.dirichlet(np.ones(3), size=3), rng.integers(3, size=40)
        seen[-2:] = 2, 0  # a pair that comes often: its last copy, which nothing follows, changes little
        expected = _trigram(seen, bigram, 0.5, ids)
        expect_close(answer(seen, bigram, 0.5, ids), expected, "300 tokens of 3 kinds", rtol=0.05)


N_HEADS, D_MODEL = 2, 6
_EMPTY = np.zeros((2, N_HEADS, 0, D_MODEL // N_HEADS))  # keys and values


def _draw(rng):
    shapes = {"w_qkv": (D_MODEL, 3 * D_MODEL), "w_o": (D_MODEL, D_MODEL), "w_in": (D_MODEL, 10), "w_out": (10, D_MODEL)}
    return {name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}


def _norm(x):
    return F.layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]))


def _all_at_once(x, w):
    """The block on all positions (T, d_model), with a causal mask and no cache."""
    w_q, w_k, w_v = np.split(w["w_qkv"], 3, axis=-1)
    z = _norm(x)
    x = x + F.multi_head_attention(z, z, w_q, w_k, w_v, w["w_o"], n_heads=N_HEADS, mask=F.causal_mask(len(x)))[0]
    return x + F.gelu(_norm(x) @ w["w_in"]) @ w["w_out"]


def _step(x, w, k, v, *, scale=None, sees_itself=True, residual=True, normed=True):
    n_heads, _, d_k = k.shape
    q, new_k, new_v = ((_norm(x) if normed else x) @ w["w_qkv"]).reshape(3, n_heads, 1, d_k)
    longer_k, longer_v = np.concatenate([k, new_k], axis=1), np.concatenate([v, new_v], axis=1)
    seen = (longer_k, longer_v) if sees_itself else (k, v)
    weights = F.softmax(q @ seen[0].swapaxes(-1, -2) / (math.sqrt(d_k) if scale is None else scale))
    x = (weights @ seen[1]).reshape(-1) @ w["w_o"] + (x if residual else 0)
    return x + F.gelu(_norm(x) @ w["w_in"]) @ w["w_out"], longer_k, longer_v


def _one_head(x, w, k, v):
    heads, S, d_k = k.shape
    y, *longer = _step(x, w, *(array.swapaxes(0, 1).reshape(1, S, heads * d_k) for array in (k, v)))
    return y, *(array.reshape(S + 1, heads, d_k).swapaxes(0, 1) for array in longer)


def _with_einsum(x, w, k, v):
    n_heads, _, d_k = k.shape
    q, *new = np.split(_norm(x) @ w["w_qkv"], 3)
    k, v = (np.insert(old, old.shape[1], n.reshape(n_heads, d_k), axis=1) for old, n in zip((k, v), new, strict=True))
    scores = np.einsum("hd,hsd->hs", q.reshape(n_heads, d_k), k) / np.sqrt(d_k)
    x = x + np.einsum("hs,hsd->hd", F.softmax(scores), v).ravel() @ w["w_o"]
    return x + F.gelu(_norm(x) @ w["w_in"]) @ w["w_out"], k, v


@chapter.write(
    "One step of a block · hard · 6 points · 40 minutes · may use NumPy, `F.gelu`, `F.layer_norm` and `F.softmax`",
    right=_with_einsum,
    wrong={
        "does not see itself": lambda *args: _step(*args, sees_itself=False),
        "forgets the root of d_k": lambda *args: _step(*args, scale=1.0),
        "divides by the root of d_model": lambda x, w, k, v: _step(x, w, k, v, scale=math.sqrt(len(x))),
        "loses the stream": lambda *args: _step(*args, residual=False),
        "does not normalize before attention": lambda *args: _step(*args, normed=False),
        "keeps the old cache": lambda x, w, k, v: (_step(x, w, k, v)[0], k, v),
        "takes all heads as one": _one_head,
        "puts the new position in front": lambda *a: (_step(*a)[0], *(np.roll(c, 1, 1) for c in _step(*a)[1:])),
        "uses the values as keys": lambda x, w, k, v: _step(x, w, v, k),
    },
)
class cached_block:
    def the_first_token_sees_itself(self, answer, rng):
        x, w = rng.normal(size=D_MODEL), _draw(rng)
        got, k, v = answer(x, w, *_EMPTY)
        expect_close(got, _all_at_once(x[None], w)[0], "a first token, which sees itself alone")
        expect_close(np.shape(k), (N_HEADS, 1, D_MODEL // N_HEADS), "shape of the keys after one token")
        expect_close(v, _step(x, w, *_EMPTY)[2], "values after one token")

    def step_by_step_is_what_all_at_once_gives(self, answer, rng):
        x, w = rng.normal(size=(7, D_MODEL)), _draw(rng)
        k, v = _EMPTY
        for t, expected in enumerate(_all_at_once(x, w)):
            got, k, v = answer(x[t], w, k, v)
            expect_close(got, expected, f"token {t} of 7, step by step against all at once")

    def the_caches_grow_at_their_end(self, answer, rng):
        x, w, (k, v) = rng.normal(size=D_MODEL), _draw(rng), rng.normal(size=(2, N_HEADS, 5, D_MODEL // N_HEADS))
        for got, expected, name in zip(answer(x, w, k, v)[1:], _step(x, w, k, v)[1:], ("keys", "values"), strict=True):
            expect_close(got, expected, f"{name} behind five others")
