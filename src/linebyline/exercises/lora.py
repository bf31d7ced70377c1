"""The exercises on low-rank adaptation, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple, finite_differences, spoiling

chapter = Chapter("lora", np=np)

M, N, RANK = 4096, 12_288, 16  # the matrix of a large model for queries, keys and values, and a rank


@chapter.predict(
    "How many numbers are trained? · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("trained numbers at rank 16", "rank at which as many numbers are trained as the matrix has"),
    right=(RANK * (M + N), M * N / (M + N)),
    wrong={
        "This is A alone; B has 16 rows of 12,288 numbers.": (RANK * M, N),
        "This is B alone; A has 16 columns of 4,096 numbers.": (RANK * N, M),
        "This is rank 1; at rank 16 there are 16 columns in A and 16 rows in B.": (M + N, M * N / (M + N)),
        "These are all numbers of the matrix, which is what full tuning trains.": (M * N, M * N / (M + N)),
        "The first is right. 4,096 is the largest rank that the matrix can have.": (RANK * (M + N), M),
        "The first is right. This is how many times fewer they are at rank 16; multiply it by 16.": (
            RANK * (M + N),
            M * N / (RANK * (M + N)),
        ),
    },
)
def trained_numbers(rng):
    return RANK * (M + N), M * N / (M + N)


@chapter.diagnose(
    "A merged model that differs · easy · 2 points · 10 minutes · may use NumPy",
    """
def merged(w, a, b, alpha):
    rank = len(a)
!   rank = a.shape[1]
?   A has a row for each input and a column for each direction, so its length is the number of inputs. The rank is the
?   number of its columns.
    scale = alpha / rank
?   The scale of the update is alpha divided by the rank, as in training.
    update = scale * (a @ b)
?   A is (m, r) and B is (r, n), so the update has the shape of W.
    return w + update
?   The merged matrix is what the model computed with while it was tuned.
""",
    wrong={
        "takes the number of outputs": "rank = b.shape[1]",
        "takes the number of numbers": "rank = a.size",
        "takes the rank to be 1": "rank = 1",
        "takes the larger side": "rank = max(a.shape)",
        "takes one more": "rank = a.shape[1] + 1",
        "multiplies by the rank": also(2, "scale = alpha * rank"),
        "forgets the frozen matrix": also(4, "return update"),
        "takes the update away": also(4, "return w - update"),
    },
)
class merged:
    def a_case_worked_by_hand(self, answer, rng):
        a, b = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 2.0]])
        expected = [[1.0, 1.0], [0.0, 2.0], [0.0, 0.0]]
        expect_close(answer(np.zeros((3, 2)), a, b, 2.0), expected, "rank 2, alpha 2: the scale is 1")

    def an_update_of_zeros_changes_nothing(self, answer, rng):
        w, a = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
        expect_close(answer(w, a, np.zeros((2, 3)), 2.0), w, "where B is zero")

    def merged_and_unmerged_give_the_same(self, answer, rng):
        m, n, rank, alpha = 6, 5, int(rng.integers(1, 5)), float(rng.uniform(1, 20))
        x, w = rng.normal(size=(3, m)), rng.normal(size=(m, n))
        a, b = rng.normal(size=(m, rank)), rng.normal(size=(rank, n))
        expect_close(x @ answer(w, a, b, alpha), x @ w + alpha / rank * (x @ a) @ b, f"rank {rank}, alpha {alpha:.1f}")


def _gradients(x, g, a, b):
    return x.T @ (g @ b.T), (x @ a).T @ g


@chapter.write(
    "The gradients of A and B · medium · 3 points · 20 minutes · may use NumPy",
    right=_gradients,
    wrong={
        "gives the gradient of W for both": lambda x, g, a, b: (x.T @ g, x.T @ g),
        "leaves out B": lambda x, g, a, b: (x.T @ g[:, : b.shape[0]], (x @ a).T @ g),
        "leaves out A": lambda x, g, a, b: (x.T @ (g @ b.T), x[:, : a.shape[1]].T @ g),
        "has them the wrong way round": lambda x, g, a, b: _gradients(x, g, a, b)[::-1],
        "takes means over the rows of x": lambda x, g, a, b: tuple(each / len(x) for each in _gradients(x, g, a, b)),
        "has the wrong sign": lambda x, g, a, b: tuple(-each for each in _gradients(x, g, a, b)),
        "changes g": spoiling(_gradients, 1),
    },
)
class gradients:
    def a_case_worked_by_hand(self, answer, rng):
        x, g = np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]])
        a, b = np.array([[1.0], [0.0]]), np.array([[2.0, 5.0]])
        d_a, d_b = expect_tuple(answer(x, g, a, b), 2)
        expect_close(d_a, [[6.0], [12.0]], "the gradient of A: one row of x, rank 1")
        expect_close(d_b, [[3.0, 0.0]], "the gradient of B: one row of x, rank 1")

    def at_the_start_only_B_has_a_gradient(self, answer, rng):
        x, g, a = rng.normal(size=(5, 4)), rng.normal(size=(5, 3)), rng.normal(size=(4, 2))
        d_a, d_b = expect_tuple(answer(x, g, a, np.zeros((2, 3))), 2)
        expect_close(d_a, np.zeros((4, 2)), "the gradient of A where B is zero")
        assert np.abs(d_b).max() > 0, "the gradient of B is zero, although A is not"

    def they_are_the_slopes_of_the_loss(self, answer, rng):
        x, g = rng.normal(size=(4, 3)), rng.normal(size=(4, 5))
        a, b = rng.normal(size=(3, 2)), rng.normal(size=(2, 5))
        d_a, d_b = expect_tuple(answer(x, g, a, b), 2)
        slope_a, slope_b = finite_differences(lambda a, b: (x @ a @ b * g).sum(), a, b)
        expect_close(d_a, slope_a, "A, against finite differences")
        expect_close(d_b, slope_b, "B, against finite differences")
