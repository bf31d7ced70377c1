"""The exercises on masks and cross attention, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close

chapter = Chapter("masks_and_cross_attention", np=np, F=F)


@chapter.predict(
    "How far back? · easy · 2 points · 5 minutes · may use pen and paper",
    "number of tokens",
    within=0.01,
    right=16,
    wrong={
        "This is what one layer sees. What the second layer reads was itself read from further back.": 4,
        "Every window begins with the query itself, so a further layer adds less than its width.": 4 * 5,
        "The last token counts, too: it sees itself.": 3 * 5,
        "A further layer moves the far end back by a fixed number of tokens: reach adds, it does not multiply.": 4**5,
        "Without a window this would be all tokens. Follow the far end, layer by layer.": 24,
    },
)
def reach(rng):
    """Count the tokens whose replacement moves the last output of a stack under a window."""
    T, d = 24, 8
    window = np.tri(T, dtype=bool) & ~np.tri(T, k=-4, dtype=bool)
    matrices = rng.normal(size=(5, 3, d, d)) / np.sqrt(d)

    def last(x):
        for w_q, w_k, w_v in matrices:
            x = x + F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, window)[0]
        return x[-1]  # (d,)

    x, others = rng.normal(size=(2, T, d))
    replaced = (np.where(np.arange(T)[:, None] == s, others, x) for s in range(T))
    return sum(np.abs(last(other) - last(x)).max() > 1e-12 for other in replaced)


@chapter.write(
    "A sliding window · medium · 3 points · 15 minutes · may use NumPy",
    right=lambda T, width: np.isin(np.subtract.outer(np.arange(T), np.arange(T)), np.arange(width)),
    wrong={
        "is the causal mask": lambda T, width: np.tri(T, dtype=bool),
        "is one position too wide": lambda T, width: np.tri(T, dtype=bool) & ~np.tri(T, k=-width - 1, dtype=bool),
        "is one position too narrow": lambda T, width: np.tri(T, dtype=bool) & ~np.tri(T, k=1 - width, dtype=bool),
        "looks ahead": lambda T, width: np.tri(T, dtype=bool).T & np.tri(T, k=width - 1, dtype=bool),
        "looks to both sides": lambda T, width: np.abs(np.subtract.outer(np.arange(T), np.arange(T))) < width,
        "cuts the sequence into blocks": lambda T, width: (
            np.tri(T, dtype=bool) & np.equal.outer(np.arange(T) // width, np.arange(T) // width)
        ),
        "hides what the window shows": lambda T, width: np.tri(T, k=-width, dtype=bool),
        "gives ones and zeros, not booleans": lambda T, width: np.tri(T) - np.tri(T, k=-width),
    },
)
class window:
    def a_case_worked_by_hand(self, answer, rng):
        expect_close(answer(4, 2), [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], "T=4, width=2")

    def the_mask_is_boolean(self, answer, rng):
        got = np.asarray(answer(5, 3))
        assert got.dtype == np.bool_, f"expected a boolean mask, got dtype {got.dtype}"

    def width_1_sees_itself__width_T_is_the_causal_mask(self, answer, rng):
        expect_close(answer(5, 1), np.eye(5), "T=5, width=1: each position sees itself")
        expect_close(answer(5, 5), np.tri(5), "T=5, width=5: the causal mask")
        expect_close(answer(5, 99), np.tri(5), "T=5, width=99: the causal mask")

    def every_query_sees_as_many_keys_as_the_window_is_wide__the_first_ones_fewer(self, answer, rng):
        T, width = int(rng.integers(9, 15)), int(rng.integers(3, 7))
        expected = np.minimum(np.arange(T) + 1, width)
        expect_close(np.asarray(answer(T, width)).sum(axis=-1), expected, f"keys of each query, T={T}, width={width}")


def _draw(rng, T, S):
    """Draw two decoders of width 4, two encoders of width 7, and weights with d_k=2 and d_v=6."""
    shapes = ((2, T, 4), (2, S, 7), (4, 2), (7, 2), (7, 6))
    return [*(rng.normal(size=shape) for shape in shapes), rng.integers(1, S, size=2)]


@chapter.diagnose(
    "A translation that begins badly · medium · 4 points · 15 minutes · may use NumPy and `F`",
    """
def cross(x_dec, x_enc, w_q, w_k, w_v, lengths):
    q = x_dec @ w_q  # (B, T, d_k)
?   The decoder asks, so queries are made of its rows.
    k, v = x_enc @ w_k, x_enc @ w_v  # (B, S, d_k), (B, S, d_v)
?   Keys and values both come from the source: one pair for each of its words.
    T, S = q.shape[1], k.shape[1]
?   Two lengths, and they may differ. That is why the scores need not be square.
    padding = np.arange(S) < lengths[:, None, None]  # (B, 1, S)
?   The lengths are the source's and the axis is the keys', so exactly the padding is False.
    mask = np.tri(T, S, dtype=bool) & padding
!   mask = padding
?   This hides words of the source by the position of a word of the translation. The source is known to its end
?   before the first word is written: nothing in it is later than a query, so only its padding is hidden.
    output, _ = F.scaled_dot_product_attention(q, k, v, mask)
?   This is given the right queries, keys and values, and does what the mask says.
    return output
?   One row for each query, as it should be.
""",
    wrong={
        "hides nothing any more": "mask = np.ones((1, T, S), dtype=bool)",
        "hides the past in place of the future": "mask = padding & np.tri(S, T, dtype=bool).T",
        "moves the triangle to the end of the source": "mask = padding & np.tri(T, S, k=S - T, dtype=bool)",
        "joins the masks by or": "mask = padding | np.tri(T, S, dtype=bool)",
        "shows the padding and hides the words": "mask = ~padding",
        "hides rows in place of columns": (
            "mask = np.broadcast_to(np.arange(T)[:, None] < lengths[:, None, None], (len(q), T, S))"
        ),
        "lets one word of padding in": also(4, "padding = np.arange(S) <= lengths[:, None, None]  # (B, 1, S)"),
        "takes the values from the decoder": also(2, "k, v = x_enc @ w_k, x_dec @ w_v"),
        "attends to the decoder itself": also(2, "k, v = x_dec @ w_k, x_dec @ w_v"),
        "swaps keys and values": also(2, "k, v = x_enc @ w_v, x_enc @ w_k"),
    },
)
class cross:
    def a_case_worked_by_hand(self, answer, rng):
        flat, values = np.zeros((1, 1)), np.array([[[2.0], [4.0], [9.0]]])
        got = answer(np.ones((1, 2, 1)), values, flat, flat, np.ones((1, 1)), np.array([2]))
        expect_close(got, [[[3.0], [3.0]]], "equal scores, values 2, 4 and a padded 9, two rows")

    def the_definition__with_more_or_fewer_queries_than_keys(self, answer, rng):
        for T, S in ((3, 5), (5, 3), (1, 4)):
            x_dec, x_enc, w_q, w_k, w_v, lengths = case = _draw(rng, T, S)
            mask = F.padding_mask(lengths, S)
            expected, _ = F.scaled_dot_product_attention(x_dec @ w_q, x_enc @ w_k, x_enc @ w_v, mask)
            expect_close(answer(*case), expected, f"T={T}, S={S}, lengths {lengths}")

    def the_padding_of_the_source_changes_nothing(self, answer, rng):
        x_dec, x_enc, *weights, lengths = _draw(rng, 4, 5)
        padded = np.arange(5)[:, None] >= lengths[:, None, None]  # (2, 5, 1)
        other = np.where(padded, rng.normal(size=x_enc.shape), x_enc)
        before, after = answer(x_dec, x_enc, *weights, lengths), answer(x_dec, other, *weights, lengths)
        expect_close(after, before, f"other padding, S=5, lengths {lengths}")

    def a_decoder_token_moves_its_own_output_only(self, answer, rng):
        x_dec, x_enc = rng.normal(size=(2, 1, 4, 4))
        case = (x_enc, *rng.normal(size=(3, 4, 4)), np.array([4]))
        other = np.where(np.arange(4)[:, None] == 2, rng.normal(size=(1, 4, 4)), x_dec)
        before, after = (np.asarray(answer(x, *case))[:, [0, 1, 3]] for x in (x_dec, other))
        expect_close(after, before, "another decoder token at 2, all sizes 4: outputs 0, 1 and 3")


def _right_leaks(layer, ids, vocab_size):
    found = np.zeros((len(ids), len(ids)), dtype=bool)
    for s, other in np.ndindex(len(ids), vocab_size):
        changed = ids.copy()
        changed[s] = other
        found[:s, s] |= (layer(changed) != layer(ids))[:s].any(axis=-1)
    return found


VOCAB_SIZE = 5


def _attention(mask, rng):
    """A layer from ids (T,) to outputs (T, d): a random embedding, then attention under a mask."""
    table = rng.normal(size=(VOCAB_SIZE, 4))

    def layer(ids):
        x = table[ids]  # (T, d)
        return F.scaled_dot_product_attention(x, x, x, mask)[0]

    return layer


def _replaced(ids, s, other):
    return np.where(np.arange(len(ids)) == s, other, ids)


def _overwritten(ids, s, other):
    ids[s] = other
    return ids


def _detector(others=lambda own, n: range(n), atol=1e-9, keep=lambda moved: np.triu(moved, k=1), replace=_replaced):
    """Build an answer from the ids it tries, its tolerance, what it reports of outputs that moved, and how it tries."""

    def leaks(layer, ids, vocab_size):
        before, moved = layer(ids), np.zeros((len(ids), len(ids)), dtype=bool)
        for s in range(len(ids)):
            for other in others(int(ids[s]), vocab_size):
                moved[:, s] |= np.abs(layer(replace(ids, s, other)) - before).max(axis=-1) > atol
        return keep(moved)

    return leaks


def _replaces_all_at_once(layer, ids, vocab_size):
    found = np.zeros((len(ids), len(ids)), dtype=bool)
    for t in range(len(ids) - 1):
        changed = np.where(np.arange(len(ids)) > t, (ids + 1) % vocab_size, ids)
        found[t, t + 1 :] = np.abs(layer(changed) - layer(ids)).max(axis=-1)[t] > 1e-9
    return found


@chapter.write(
    "A leak detector for token ids · medium · 5 points · 30 minutes · may use NumPy",
    entry="find_leaks",
    right=_right_leaks,
    wrong={
        "tries the next id only": _detector(others=lambda own, vocab_size: [(own + 1) % vocab_size]),
        "tries id 0 only": _detector(others=lambda own, vocab_size: [0]),
        "leaves out the last id": _detector(others=lambda own, vocab_size: range(vocab_size - 1)),
        "puts the same id back": _detector(others=lambda own, vocab_size: [own]),
        "takes small changes for rounding": _detector(atol=1e-3),
        "reports the past as well": _detector(keep=lambda moved: moved),
        "reports the past instead": _detector(keep=lambda moved: np.tril(moved, k=-1)),
        "looks one token ahead only": _detector(keep=lambda moved: np.triu(moved, k=1) & ~np.triu(moved, k=2)),
        "gives keys before queries": _detector(keep=lambda moved: np.triu(moved, k=1).T),
        "says only whether there is a leak": _detector(keep=lambda moved: np.triu(moved, k=1).any()),
        "replaces the whole future at once": _replaces_all_at_once,
        "forgets to put the token back": _detector(replace=_overwritten),
    },
)
class leaks:
    def the_causal_mask_does_not_leak(self, answer, rng):
        layer, ids = _attention(np.tri(6, dtype=bool), rng), rng.integers(VOCAB_SIZE, size=6)
        expect_close(answer(layer, ids, VOCAB_SIZE), np.zeros((6, 6)), "attention with the causal mask")

    def without_a_mask_every_later_token_leaks(self, answer, rng):
        layer, ids = _attention(np.ones((6, 6), dtype=bool), rng), rng.integers(VOCAB_SIZE, size=6)
        expect_close(answer(layer, ids, VOCAB_SIZE), ~np.tri(6, dtype=bool), "attention without a mask, T=6")

    def holes_in_a_mask_are_found__each_at_its_place(self, answer, rng):
        holes = rng.random(size=(6, 6)) < 0.3
        holes[1, 4], holes[4, 5] = True, False
        mask = np.tri(6, dtype=bool) | holes
        layer, ids = _attention(mask, rng), rng.integers(VOCAB_SIZE, size=6)
        expect_close(answer(layer, ids, VOCAB_SIZE), mask & ~np.tri(6, dtype=bool), "a causal mask with some holes")

    def a_leak_that_a_single_id_shows_is_found(self, answer, rng):
        for special in range(VOCAB_SIZE):
            ids = np.delete(np.arange(VOCAB_SIZE), special)  # the special id does not occur

            def layer(ids, special=special):
                following = np.append(ids[1:], -1)
                return np.stack([ids, following == special], axis=-1).astype(float)  # (T, 2)

            expected = np.eye(len(ids), k=1)
            expect_close(answer(layer, ids, VOCAB_SIZE), expected, f"a layer that sees whether id {special} comes next")

    def a_small_leak_is_a_leak(self, answer, rng):
        ids = np.array([0, 1, 2, 0])
        expected = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
        got = answer(lambda ids: ids[:, None] + 1e-6 * ids[::-1, None], ids, 3)
        expect_close(got, expected, "ids + 1e-6 * reversed")
