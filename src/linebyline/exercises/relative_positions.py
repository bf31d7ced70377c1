"""The exercises on positions inside attention, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, instead

chapter = Chapter("relative_positions", np=np, F=F)


@chapter.predict(
    "Far out, and near each other · easy · 2 points · 5 minutes · may use a pocket calculator",
    "product after the rotation",
    right=np.cos(5),
    wrong={
        "The two are equal before the rotation, but each is rotated by its own position.": 1.0,
        "Here only the query was rotated; the key is rotated as well.": np.cos(1005),
        "Look at the sign: 5 radians are more than three quarters of a full turn.": -np.cos(5),
        "The question is about the product, not the score: nothing is divided by √d_k.": np.cos(5) / np.sqrt(2),
    },
)
def far_pair(rng):
    query, key = F.rotary_encoding(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([1005, 1000]))
    return query @ key


@chapter.write(
    "One row for all queries · easy · 2 points · 10 minutes · may use NumPy",
    right=lambda slope, S: -slope * np.arange(S)[::-1],
    wrong={
        "prefers far keys": lambda slope, S: -slope * np.arange(S),
        "gives the same to all keys": lambda slope, S: np.full(S, -slope),
        "forgets the slope": lambda slope, S: np.arange(S) - S + 1.0,
        "multiplies instead of adding": lambda slope, S: np.exp(slope * np.arange(S)),
        "halves with each step, whatever the slope": lambda slope, S: np.log(2) * np.arange(S),
        "squares the distance": lambda slope, S: -slope * np.arange(S)[::-1] ** 2.0,
    },
)
class alibi_row:
    def a_case_worked_by_hand(self, answer, rng):
        row = np.asarray(answer(np.log(2), 3))  # each step back halves the weight
        expect_close(F.softmax(row), [1 / 7, 2 / 7, 4 / 7], "weights of three keys that score alike, slope ln 2")

    def each_key_gains_the_slope_over_the_one_before(self, answer, rng):
        slope = float(rng.uniform(0.1, 1))
        expect_close(np.diff(answer(slope, 7)), np.full(6, slope), f"from key to key, slope={slope:.2f}, S=7")

    def every_query_gets_the_weights_that_ALiBi_gives_it(self, answer, rng):
        slope, scores = float(rng.uniform(0.1, 1)), rng.normal(size=(5, 5))
        distance = np.arange(5)[:, None] - np.arange(5)
        causal = F.causal_mask(5)
        expected = F.softmax(np.where(causal, scores - slope * distance, -np.inf))
        got = F.softmax(np.where(causal, scores + np.asarray(answer(slope, 5)), -np.inf))
        expect_close(got, expected, f"weights of five queries, slope={slope:.2f}", atol=1e-9)


def _draw(rng):
    q, k, v = rng.normal(size=(3, 4, 6))
    return q, k, v


@chapter.diagnose(
    "An output that knows the page · medium · 3 points · 10 minutes · may use NumPy and `F.rotary_encoding`",
    """
def attention(q, k, v, positions):
    q = F.rotary_encoding(q, positions)
?   A query has to be rotated by its position, or the score would depend on the position of the key alone.
    k = F.rotary_encoding(k, positions)
?   A key has to be rotated by its position, or the score would depend on the position of the query alone.
    v = F.rotary_encoding(v, positions)
!   v = np.asarray(v)
?   A query meets a key in a dot product, and there the two rotations merge into their difference. A value meets
?   nothing that is rotated with it, so it would come out rotated by its own position.
    output, _ = F.scaled_dot_product_attention(q, k, v)
?   This is scaled dot-product attention. If its arguments are right, so is its result.
    return output
?   This is what the function should return.
""",
    wrong={
        "turns the values back": "v = F.rotary_encoding(v, -positions)",
        "turns the values in the other layout": "v = F.rotary_encoding(v, positions, layout='interleaved')",
        "counts the turns of the values from the first one": "v = F.rotary_encoding(v, positions - positions[0])",
        "turns the values by their number": "v = F.rotary_encoding(v, np.arange(len(v)))",
        "takes the keys for values": "v = k",
        "turns the output back": instead(5, "return F.rotary_encoding(output, -positions)"),
        "turns no queries any more": also(1, "q = np.asarray(q)"),
        "turns no keys any more": also(2, "k = np.asarray(k)"),
        "turns the keys the other way": also(2, "k = F.rotary_encoding(k, -positions)"),
    },
)
class turned_values:
    def at_position_0_nothing_turns(self, answer, rng):
        q, k, v = _draw(rng)
        expected = F.scaled_dot_product_attention(q, k, v)[0]
        expect_close(answer(q, k, v, np.zeros(4, dtype=int)), expected, "output for four tokens at position 0")

    def two_tokens__worked_by_hand(self, answer, rng):
        q = np.array([[1.0, 0.0], [1.0, 0.0]])
        near = 1 / (1 + np.exp((np.cos(3) - 1) / np.sqrt(2)))  # weight of a token on itself, scores 1 and cos 3
        expected = [[near, 1 - near], [1 - near, near]]
        expect_close(answer(q, q, np.eye(2), np.array([2, 5])), expected, "two tokens at 2 and 5, v the identity")

    def moving_all_positions_along_changes_no_output(self, answer, rng):
        q, k, v = _draw(rng)
        positions, n = np.array([0, 1, 4, 9]), int(rng.integers(1, 500))
        expected = np.asarray(answer(q, k, v, positions))
        expect_close(answer(q, k, v, positions + n), expected, f"output after all moved by {n}", atol=1e-9)

    def values_that_are_alike_come_out_as_they_are(self, answer, rng):
        q, k, v = _draw(rng)
        v[:] = v[0]
        got = answer(q, k, v, np.arange(3, 7))
        expect_close(got, v, "output where all values are alike, positions 3 to 6", atol=1e-9)


def _turn(k, angles, sign=1):
    a, b = np.split(k, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + sign * b * cos], axis=-1)


def _speeds(k):
    return 10000.0 ** (-np.arange(0, k.shape[-1], 2) / k.shape[-1])


@chapter.write(
    "Keys that move · medium · 3 points · 15 minutes · may use NumPy and `F.rotary_encoding`",
    right=lambda k, n: F.rotary_encoding(k, np.array(n)),
    wrong={
        "leaves the keys where they are": lambda k, n: k,
        "turns the other way": lambda k, n: _turn(k, -n * _speeds(k)),
        "turns row s by its number, too": lambda k, n: _turn(k, (n + np.arange(k.shape[-2]))[:, None] * _speeds(k)),
        "rotates from 0 again": lambda k, n: F.rotary_encoding(k, np.arange(k.shape[-2])),
        "turns all pairs at one speed": lambda k, n: _turn(k, n * np.ones(k.shape[-1] // 2)),
        "pairs neighbors": lambda k, n: F.rotary_encoding(k, np.array(n), layout="interleaved"),
        "reflects instead of rotating": lambda k, n: _turn(k, n * _speeds(k), sign=-1),
        "shifts the rows": lambda k, n: np.roll(k, n, axis=-2),
    },
)
class moved_keys:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([[1.0, 0.0], [0.0, 1.0]]), 2)  # one pair, turned by two radians
        expect_close(got, [[np.cos(2), np.sin(2)], [-np.sin(2), np.cos(2)]], "k = [1 0], [0 1] moved by 2")

    def as_if_the_keys_had_been_rotated_to_the_new_positions(self, answer, rng):
        k, positions, n = rng.normal(size=(2, 3, 5, 8)), np.arange(20, 25), int(rng.integers(1, 20))
        cached = F.rotary_encoding(k, positions)
        expected = F.rotary_encoding(k, positions - n)
        expect_close(answer(cached, -n), expected, f"k (2, 3, 5, 8) from 20 to 24, moved by {-n}", atol=1e-9)

    def there_and_back_is_nowhere(self, answer, rng):
        k, n = rng.normal(size=(4, 6)), int(rng.integers(1, 100))
        expect_close(answer(answer(k, n), -n), k, f"moved by {n} and back, d_k=6", atol=1e-9)

    def scores_stay_when_queries_move_as_well(self, answer, rng):
        q, k = rng.normal(size=(2, 4, 6))
        positions, n = np.arange(4), int(rng.integers(1, 50))
        scores = F.rotary_encoding(q, positions) @ F.rotary_encoding(k, positions).T
        got = F.rotary_encoding(q, positions + n) @ np.asarray(answer(F.rotary_encoding(k, positions), n)).T
        expect_close(got, scores, f"scores after queries and keys moved by {n}", atol=1e-9)


def _scores(w_q, w_k, x, n_heads, layout):
    """Rotated scores of every head, (n_heads, T, T)."""
    heads = [(x @ w).reshape(len(x), n_heads, -1).swapaxes(0, 1) for w in (np.asarray(w_q), np.asarray(w_k))]
    q, k = (F.rotary_encoding(head, np.arange(len(x)), layout=layout) for head in heads)  # (n_heads, T, d_k)
    return q @ k.swapaxes(-1, -2)


def _reorder(w, n_heads, order):
    d_k = w.shape[1] // n_heads
    return w.reshape(w.shape[0], n_heads, d_k)[:, :, order(d_k)].reshape(w.shape)


def _even_odd(d_k):
    return np.concatenate([np.arange(0, d_k, 2), np.arange(1, d_k, 2)])


@chapter.write(
    "From one layout to the other · medium · 4 points · 20 minutes · may use NumPy",
    right=lambda w, n_heads: w.reshape(len(w), n_heads, -1, 2).swapaxes(-1, -2).reshape(w.shape),
    wrong={
        "changes nothing": lambda w, n_heads: w,
        "reorders across heads": lambda w, n_heads: _reorder(w, 1, _even_odd),
        "goes the other way": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.argsort(_even_odd(d))),
        "puts odd columns first": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.roll(_even_odd(d), d // 2)),
        "reverses the columns": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.arange(d)[::-1]),
        "takes every n_heads-th column as a head": lambda w, n_heads: np.concatenate(
            [w[:, h::n_heads][:, _even_odd(w.shape[1] // n_heads)] for h in range(n_heads)], axis=1
        ),
        "flips the sign of the second half": lambda w, n: _reorder(w, n, _even_odd) * (-1) ** np.arange(w.shape[1]),
    },
)
class to_half_layout:
    def a_case_worked_by_hand(self, answer, rng):
        w = np.array([[0.0, 1.0, 2.0, 3.0]])
        expect_close(answer(w, 1), [[0.0, 2.0, 1.0, 3.0]], "columns 0 1 2 3 of one head")

    def scores_of_one_head_stay_the_same(self, answer, rng):
        w_q, w_k, x = rng.normal(size=(5, 6)), rng.normal(size=(5, 6)), rng.normal(size=(4, 5))
        expected = _scores(w_q, w_k, x, 1, "interleaved")
        expect_close(_scores(answer(w_q, 1), answer(w_k, 1), x, 1, "half"), expected, "scores of one head, d_k=6")

    def scores_of_several_heads_stay_the_same(self, answer, rng):
        w_q, w_k, x = rng.normal(size=(5, 24)), rng.normal(size=(5, 24)), rng.normal(size=(4, 5))
        expected = _scores(w_q, w_k, x, 3, "interleaved")
        expect_close(_scores(answer(w_q, 3), answer(w_k, 3), x, 3, "half"), expected, "scores of 3 heads, d_k=8")

    def columns_are_reordered__not_changed(self, answer, rng):
        w = rng.normal(size=(5, 16))
        order = np.argsort(np.asarray(answer(w, 2))[0])
        expect_close(np.asarray(answer(w, 2))[:, order], w[:, np.argsort(w[0])], "the columns, whatever their order")
