"""The exercises on beams, and on the length penalty."""

import math

import numpy as np
import torch

from clearformer import functional as F
from clearformer.decoding import beam_search
from linebyline.exercises.core import Chapter, also, expect_close

chapter = Chapter("search", np=np)


@chapter.predict(
    "by_hand",
    "Three searches by hand",
    "easy · 2 points · 10 minutes · may use pen and paper",
    ("greedy search", "two beams", "three beams"),
    within=0.01,
    right=(1 / 8, 9 / 50, 19 / 100),
    wrong={
        "Two beams keep the two likeliest first words, and c is not one of them.": [0.125, 0.19, 0.19],
        "The third is not right: of three beams, each keeps a first word of its own.": [0.125, 0.18, 0.18],
        "Greedy search chooses the first word before it has seen an ending.": [0.19, 0.19, 0.19],
        "The continuations of all beams compete; a second beam is not there for its own sake.": [0.125, 0.125, 0.125],
        "These are the first words; a sentence has an ending, too.": [0.5, 0.3, 0.2],
        "These are the endings alone; a sentence begins with a first word, too.": [0.25, 0.6, 0.95],
    },
)
def _(rng):
    """Search the tree with one, two and three beams, whatever the numbers of its words are."""
    words, endings = rng.permutation(4), rng.permutation(4)  # three first words, and one that never comes
    first, second = np.zeros(4), np.full((4, 4), 0.25)
    first[words[:3]] = 0.5, 0.3, 0.2
    second[words[:3]] = np.array([[0.25, 0.25, 0.25, 0.25], [0.6, 0.4, 0.0, 0.0], [0.95, 0.05, 0.0, 0.0]])[:, endings]

    def next_logits(ids):
        return torch.from_numpy(first[None] if ids.shape[1] == 1 else second[ids[:, -1].numpy()]).log()

    found = (beam_search(next_logits, [0], 2, n_beams=n_beams, length_penalty=0.0) for n_beams in (1, 2, 3))
    return [math.exp(beams[0].score) for beams in found]


def _step(log_p, next_log_p, n_beams):
    total = log_p[:, None] + next_log_p  # (b, vocab_size)
    order = np.argsort(-total, axis=None, kind="stable")[:n_beams]
    beams, tokens = np.unravel_index(order, total.shape)
    return total[beams, tokens], beams, tokens


@chapter.diagnose(
    "step",
    "A beam that goes to the wrong heirs",
    "medium · 3 points · 15 minutes · may use NumPy",
    """
def step(log_p, next_log_p, n_beams):
    total = (log_p[:, None] + next_log_p).ravel()  # (b * V,)
?   A continuation has what its beam had, and what its token adds. The rows stand one after the other.
    best = np.argsort(-total)[:n_beams]
?   The sign makes the best come first, and all beams compete here, as they should.
    beams, tokens = np.divmod(best, len(log_p))
!   beams, tokens = np.divmod(best, next_log_p.shape[1])
?   A row of the table has one entry for each token, so the number of a continuation is beam times vocabulary
?   plus token. The number of beams divides it rightly only where it equals the vocabulary.
    return total[best], beams, tokens
?   The log-probabilities are right. The other two come from above.
""",
    wrong={
        "exchanges beams and tokens": "tokens, beams = np.divmod(best, next_log_p.shape[1])",
        "divides by the number of beams that are kept": "beams, tokens = np.divmod(best, n_beams)",
        "divides by all continuations": "beams, tokens = np.divmod(best, len(total))",
        "reads the table by columns": "tokens, beams = np.divmod(best, len(log_p))",
        "is one short": "beams, tokens = np.divmod(best, next_log_p.shape[1] - 1)",
        "gives the worst": also(2, "best = np.argsort(total)[:n_beams]"),
        "gives the best last": also(2, "best = np.argsort(total)[-n_beams:]"),
        "forgets what the beams had": also(1, "total = next_log_p.ravel()"),
        "multiplies log-probabilities": also(1, "total = (log_p[:, None] * next_log_p).ravel()"),
        "adds to the caller's table": also(1, "total = np.add(log_p[:, None], next_log_p, out=next_log_p).ravel()"),
    },
)
def _(law):
    def expect_step(got, expected, what):
        parts = got if isinstance(got, tuple) else (got,)
        for part, name, value in zip(parts, ("values", "beams", "tokens"), expected, strict=True):
            expect_close(part, value, f"{what}: {name}")

    @law("a case worked by hand")
    def _(answer, rng):
        log_p, following = np.log([0.40, 0.35]), np.log([[0.34, 0.335, 0.325], [0.40, 0.32, 0.28]])
        expected = np.log([0.14, 0.136]), [1, 0], [0, 0]
        expect_step(answer(log_p, following, 2), expected, "beams of .40 and .35, two of six continuations")

    @law("equal to a search one by one")
    def _(answer, rng):
        log_p, following = rng.normal(size=3), F.log_softmax(rng.normal(size=(3, 7)))
        candidates = [(log_p[b] + following[b, v], b, v) for b in range(3) for v in range(7)]
        expected = list(zip(*sorted(candidates, key=lambda c: -c[0])[:4], strict=True))
        expect_step(answer(log_p, following, 4), expected, "3 beams, 7 tokens, the best 4 one by one")

    @law("the first step has one beam")
    def _(answer, rng):
        case = np.zeros(1), F.log_softmax(rng.normal(size=(1, 11))), 5
        expect_step(answer(*case), _step(*case), "the first step: 1 beam becomes 5")

    @law("one beam may have all the heirs")
    def _(answer, rng):
        case = np.array([-1.0, -90.0]), F.log_softmax(rng.normal(size=(2, 5))), 3
        expect_step(answer(*case), _step(*case), "one beam is hopeless: the other has all heirs")

    @law("as many beams as tokens")
    def _(answer, rng):
        case = rng.normal(size=4), F.log_softmax(rng.normal(size=(4, 4))), 4
        expect_step(answer(*case), _step(*case), "4 beams and 4 tokens")


def _crossing(log_p, n, log_q, m):
    return math.log(log_p / log_q) / math.log(n / m)


@chapter.write(
    "crossing",
    "Where the winner changes",
    "medium · 3 points · 15 minutes · may use NumPy",
    right=lambda p, n, q, m: np.log2(q / p) / np.log2(m / n),
    wrong={
        "divides the logarithms the other way": lambda p, n, q, m: 1 / _crossing(p, n, q, m),
        "takes the difference of log-probabilities": lambda p, n, q, m: (p - q) / math.log(m / n),
        "takes the difference of lengths": lambda p, n, q, m: math.log(q / p) / (m - n),
        "gets the sign wrong": lambda p, n, q, m: -_crossing(p, n, q, m),
        "cuts negative exponents off": lambda p, n, q, m: max(0.0, _crossing(p, n, q, m)),
        "assumes that the second is longer": lambda p, n, q, m: math.log(q / p) / abs(math.log(m / n)),
    },
)
def _(law):
    @law("two cases worked by hand")
    def _(answer, rng):
        expect_close(answer(-1.0, 2, -2.0, 4), 1.0, "-1 over 2 tokens and -2 over 4: equal means")
        expect_close(answer(-1.0, 1, -2.0, 4), 0.5, "-1 over 1 token and -2 over 4")

    @law("the scores are equal there")
    def _(answer, rng):
        log_p, log_q = -rng.uniform(1, 5), -rng.uniform(6, 20)
        exponent = float(answer(log_p, 3, log_q, 11))
        what = "score of the longer at the answer, against the shorter's"
        expect_close(log_q / 11**exponent, log_p / 3**exponent, what)

    @law("the order of the two does not matter")
    def _(answer, rng):
        expect_close(answer(-7.0, 8, -3.0, 5), answer(-3.0, 5, -7.0, 8), "the same two, in the other order")

    @law("a negative exponent is an answer too")
    def _(answer, rng):
        expect_close(
            answer(-4.0, 2, -2.0, 4), -1.0, "the longer one is likelier too: only a negative exponent ties them"
        )
