"""The exercises on embeddings, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, expect_equal, finite_differences, instead, spoiling

chapter = Chapter("embeddings", np=np)


@chapter.predict(
    "A shared part · easy · 1 point · 5 minutes · may use pen and paper",
    "cosine of the two sums",
    within=0.01,
    right=16 / 17,
    wrong={
        "The two tokens are orthogonal, but both sums hold the same vector.": 0,
        "The vectors that were added are equal, and the tokens in the sums are not.": 1,
        "Dot products go with the squares of lengths.": 4 / (4 + 1),
        "This is the cosine of a sum with the vector that was added.": 4 / (4**2 + 1) ** 0.5,
        "The square of each sum's length holds its own token, not the other one too.": 4**2 / (4**2 + 2),
    },
)
def one_place(rng):
    orthogonal, _ = np.linalg.qr(rng.normal(size=(7, 3)))  # three columns of length 1
    one, other, place = orthogonal.T
    x, y = one + 4 * place, other + 4 * place
    return x @ y / np.sqrt((x @ x) * (y @ y))


_REACHED = 1000 * (1 - 0.999**1024)


@chapter.predict(
    "Rows that a batch reaches · medium · 2 points · 10 minutes · may use a pocket calculator",
    ("rows reached through the look-up, on average", "rows reached through the output"),
    right=(1000 * (1 - np.exp(-1.024)), 1000),
    wrong={
        "The table has fewer rows than that: a token that is drawn twice reaches one row.": (1024, 1000),
        "Some tokens are drawn several times, and then others are not drawn at all.": (1000, 1000),
        "That many are left out: ask how probable it is that a token is never drawn.": (1000 - _REACHED, 1000),
        "Through the look-up that is right. Which rows are in the sum of the softmax?": (_REACHED, _REACHED),
        "Every second row would be luck: a token is missed by each draw with probability 999/1000.": (500, 1000),
    },
)
def rows_reached(rng):
    V, T = 1000, 1024
    batches = rng.integers(V, size=(200, T))
    by_look_up = [F.embed_backward(np.ones((T, 1)), ids, V).any(axis=-1).sum() for ids in batches]
    h, table = rng.normal(size=(T, 3)), rng.normal(size=(V, 3))
    d_logits = F.softmax(h @ table.T) - F.one_hot(batches[0], V)  # (T, V)
    return np.mean(by_look_up), (d_logits.T @ h).any(axis=-1).sum()


@chapter.write(
    "New ids for old tokens · medium · 2 points · 10 minutes · may use NumPy",
    right=lambda table, new_ids: table[np.argsort(new_ids)],
    wrong={
        "takes new ids for old ones": lambda table, new_ids: table[new_ids],
        "leaves the table as it is": lambda table, new_ids: table.copy(),
        "turns the table upside down": lambda table, new_ids: table[::-1],
        "numbers by the first component": lambda table, new_ids: table[np.argsort(table[:, 0])],
        "moves columns": lambda table, new_ids: table[:, np.argsort(new_ids[: table.shape[1]])],
        "computes in another precision": lambda table, new_ids: table[np.argsort(new_ids)].astype(float),
        "changes the caller's table": spoiling(lambda table, new_ids: table[np.argsort(new_ids)], 0),
    },
)
class renumber:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), np.array([2, 0, 1]))
        expect_close(got, [[2, 20], [3, 30], [1, 10]], "tokens 0, 1, 2 become 2, 0, 1")

    def a_text_in_its_new_ids_has_the_vectors_it_had(self, answer, rng):
        table, new_ids = rng.normal(size=(7, 3)), rng.permutation(7)
        ids = rng.integers(7, size=(2, 5))
        got = np.asarray(answer(table, new_ids))
        expect_close(got.shape, table.shape, "shape of the table")
        expect_close(F.embed(new_ids[ids], got), F.embed(ids, table), "the vectors of a text in its new ids")

    def a_tied_output_gives_each_token_the_logit_it_had(self, answer, rng):
        table, new_ids = rng.normal(size=(7, 3)), rng.permutation(7)
        h = rng.normal(size=(5, 3))
        got = (h @ np.asarray(answer(table, new_ids)).T)[:, new_ids]
        expect_close(got, h @ table.T, "the logits of a tied output, each token's at its new place")

    def the_old_ids_bring_the_old_table_back(self, answer, rng):
        table, new_ids = rng.normal(size=(7, 3)), rng.permutation(7)
        back = answer(answer(table, new_ids), np.argsort(new_ids))
        expect_close(back, table, "renumbered, and then given the old ids again")

    def the_table_keeps_its_precision(self, answer, rng):
        table, new_ids = rng.normal(size=(7, 3)), rng.permutation(7)
        got = answer(table.astype(np.float32), new_ids)
        expect_equal(str(np.asarray(got).dtype), "float32", "dtype of a table in float32")


def _order(table, token):
    """All other tokens, one cosine after the other, the largest first."""
    cosine = [row @ table[token] / np.sqrt((row @ row) * (table[token] @ table[token])) for row in table]
    return [v for v in sorted(range(len(table)), key=lambda v: -cosine[v]) if v != token]


@chapter.diagnose(
    "The most similar tokens · medium · 3 points · 15 minutes · may use NumPy",
    """
def nearest(table, token, count):
    lengths = np.linalg.norm(table)
!   lengths = np.linalg.norm(table, axis=-1, keepdims=True)
?   This is one number, the root of all squares in the table, and dividing by it changes no order. Each row must be
?   divided by its own length.
    unit = table / lengths
?   This divides by what it is given; each row could have a length of its own here.
    cosine = unit @ unit[token]  # (V,)
?   With vectors of length 1 these dot products are the cosines, one for each token.
    cosine[token] = -np.inf
?   The token itself would always come first: minus infinity puts it last.
    return np.argsort(-cosine)[:count]
?   This sorts from large to small, and takes as many as were asked for.
""",
    wrong={
        "divides columns, not rows": "lengths = np.linalg.norm(table, axis=0)",
        "forgets that the lengths need a second axis": "lengths = np.linalg.norm(table, axis=-1)",
        "divides by the largest number": "lengths = np.abs(table).max()",
        "divides by the token's length only": "lengths = np.linalg.norm(table[token])",
        "divides by the sum of the components": "lengths = np.abs(table).sum(axis=-1, keepdims=True)",
        "ranks by the distance": instead(3, "cosine = -np.linalg.norm(table - table[token], axis=-1)"),
        "takes the size of the cosine, whatever its sign": also(3, "cosine = np.abs(unit @ unit[token])"),
        "counts the token itself": also(4, "cosine[token] = np.inf"),
        "drops the first of the list once more": also(5, "return np.argsort(-cosine)[1 : count + 1]"),
        "gives the least similar": also(5, "return np.argsort(cosine)[1 : count + 1]"),
        "normalizes the caller's table": also(2, "table /= lengths; unit = table"),
    },
)
class nearest:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([[1.0, 0.0], [9.0, 9.0], [0.5, 0.1], [-1.0, 0.0], [0.0, 1.0]]), 0, 3)
        expect_close(got, [2, 1, 4], "directions 0°, 45°, 11°, 180°, 90°: the three nearest to the first")

    def equal_to_a_search_one_by_one(self, answer, rng):
        table = rng.normal(size=(31, 5)) * rng.uniform(0.1, 9, size=(31, 1))
        for token in (4, 7, 30):
            expected = _order(table, token)
            expect_close(answer(table, token, 30), expected, "all others of 31 random tokens, most similar first")

    def tokens_of_length_1_are_ranked_right(self, answer, rng):
        table = rng.normal(size=(11, 5))
        table /= np.linalg.norm(table, axis=-1, keepdims=True)
        expect_close(answer(table, 3, 4), _order(table, 3)[:4], "the first four of 11 tokens of length 1")

    def lengths_do_not_matter(self, answer, rng):
        table, lengths = rng.normal(size=(31, 5)), rng.uniform(0.1, 9, size=(31, 1))
        got = answer(lengths * table, 2, 30)
        expect_close(got, answer(table, 2, 30), "longer and shorter vectors, same directions")

    def a_token_is_not_its_own_neighbor__its_double_is(self, answer, rng):
        table = rng.normal(size=(7, 3))
        table[2] = table[5]
        expect_close(answer(table, 5, 1), [2], "a token with a double: the double, not itself")
        expect_close(answer(table, 2, 1), [5], "and the double's nearest")


def _by_autograd(ids, targets, table, w):
    import torch

    parameter = torch.from_numpy(table).requires_grad_()
    logits = parameter[ids] @ torch.from_numpy(w) @ parameter.T
    loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(targets))
    return torch.autograd.grad(loss, parameter)[0].numpy()


def _loss(ids, targets, table, w):
    """Mean cross-entropy of the logits ``table[ids] @ w @ table.T``."""
    log_probabilities = F.log_softmax(F.embed(ids, table) @ w @ table.T)  # (T, V)
    return -log_probabilities[np.arange(len(ids)), targets].mean()


def _d_logits(ids, targets, table, w):
    return (F.softmax(table[ids] @ w @ table.T) - F.one_hot(targets, len(table))) / len(ids)  # (T, V)


def _parts(ids, targets, table, w):
    """The gradient through the output, (V, d), and through the look-up, (V, d)."""
    h, d_logits = table[ids] @ w, _d_logits(ids, targets, table, w)
    return d_logits.T @ h, F.embed_backward(d_logits @ table @ w.T, ids, len(table))


def _draw_text(rng):
    V, d, T = 7, 3, 5
    return rng.integers(V, size=T), rng.integers(V, size=T), rng.normal(size=(V, d)), rng.normal(size=(d, d))


def _tied_assigning(ids, targets, table, w):
    through_output, _ = _parts(ids, targets, table, w)
    through_output[ids] += _d_logits(ids, targets, table, w) @ table @ w.T
    return through_output


@chapter.write(
    "One table, two gradients · "
    "hard · 5 points · 30 minutes · may use NumPy, `F.embed`, `F.embed_backward` and `F.softmax`",
    right=_by_autograd,
    wrong={
        "only through the look-up": lambda i, t, e, w: _parts(i, t, e, w)[1],
        "only through the output": lambda i, t, e, w: _parts(i, t, e, w)[0],
        "averages the two": lambda i, t, e, w: sum(_parts(i, t, e, w)) / 2,
        "sums over the positions, without the mean": lambda i, t, e, w: sum(_parts(i, t, e, w)) * len(i),
        "forgets to transpose w": lambda i, t, e, w: sum(_parts(i, t, e, w.T)),
        "forgets w on the way back": lambda i, t, e, w: (
            _parts(i, t, e, w)[0] + F.embed_backward(_d_logits(i, t, e, w) @ e, i, len(e))
        ),
        "climbs instead of descending": lambda i, t, e, w: -sum(_parts(i, t, e, w)),
        "adds with +=, which keeps one of several": _tied_assigning,
        "takes a step on the caller's table": spoiling(_by_autograd, 2),
    },
)
class tied_gradient:
    def cases_worked_by_hand(self, answer, rng):
        ids, targets = np.array([0]), np.array([1])
        got = answer(ids, targets, np.array([[2.0], [0.0]]), np.zeros((1, 1)))
        expect_close(got, [[0.0], [0.0]], "w = 0 makes every token equally likely, and nothing depends on the table")
        got = answer(ids, targets, np.array([[1.0], [1.0]]), np.eye(1))
        expect_close(got, [[0.5], [-0.5]], "two tokens with the vector [1], id 0, target 1, w = [[1]]")

    def equal_to_finite_differences_of_the_loss(self, answer, rng):
        ids, targets, table, w = _draw_text(rng)
        (slopes,) = finite_differences(lambda table: _loss(ids, targets, table, w), table)
        expect_close(answer(ids, targets, table, w), slopes, "against finite differences", rtol=1e-6, atol=1e-8)

    def the_mean_does_not_depend_on_how_often_a_text_is_repeated(self, answer, rng):
        ids, targets, table, w = _draw_text(rng)
        twice = answer(np.tile(ids, 2), np.tile(targets, 2), table, w)
        expect_close(twice, answer(ids, targets, table, w), "the same text twice, which leaves the mean loss as it was")

    def a_token_that_was_not_looked_up_learns_through_the_output(self, answer, rng):
        _, targets, table, w = _draw_text(rng)
        ids = np.zeros(5, dtype=int)
        got, expected = np.asarray(answer(ids, targets, table, w))[1:], _parts(ids, targets, table, w)[0][1:]
        expect_close(got, expected, "rows of tokens that were not looked up")
