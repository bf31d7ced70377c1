"""The exercises on search, in the order of the chapter."""

import heapq
import itertools
import math

import numpy as np
import torch

from clearformer import functional as F
from clearformer.decoding import beam_search
from linebyline.exercises.core import Chapter, also, expect_close, expect_equal

chapter = Chapter("search", np=np)


@chapter.predict(
    "Three searches by hand · easy · 2 points · 10 minutes · may use pen and paper",
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
def by_hand(rng):
    """Search the tree with one, two and three beams, whatever the numbers of its words are."""
    words, endings = rng.permutation(4), rng.permutation(4)  # three first words, and one that never comes
    first, second = np.zeros(4), np.full((4, 4), 0.25)
    first[words[:3]] = 0.5, 0.3, 0.2
    second[words[:3]] = np.array([[0.25, 0.25, 0.25, 0.25], [0.6, 0.4, 0.0, 0.0], [0.95, 0.05, 0.0, 0.0]])[:, endings]

    def next_logits(ids):
        return torch.from_numpy(first[None] if ids.shape[1] == 1 else second[ids[:, -1].numpy()]).log()

    return [math.exp(beam_search(next_logits, [0], 2, n_beams=n, length_penalty=0.0)[0].score) for n in (1, 2, 3)]


def _one_by_one(log_p, next_log_p, n_beams):
    candidates = [(log_p[b] + next_log_p[b, v], b, v) for b, v in np.ndindex(next_log_p.shape)]
    return list(zip(*sorted(candidates, key=lambda candidate: -candidate[0])[:n_beams], strict=True))


@chapter.diagnose(
    "A beam that goes to the wrong heirs · medium · 3 points · 15 minutes · may use NumPy",
    """
def step(log_p, next_log_p, n_beams):
    total = (log_p[:, None] + next_log_p).ravel()  # (b * V,)
?   A continuation has what its beam had, and what its token adds. The rows are laid end to end.
    best = np.argsort(-total)[:n_beams]
?   The sign makes the best come first, and all beams compete here, as they should.
    beams, tokens = np.divmod(best, len(log_p))
!   beams, tokens = np.divmod(best, next_log_p.shape[1])
?   A row of the table has one entry for each token, so the number of a continuation is beam times vocabulary
?   plus token. Dividing by the number of beams is right only if it equals the size of the vocabulary.
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
class step:
    def _expect_step(self, got, expected, what):
        parts = got if isinstance(got, tuple) else (got,)
        for part, name, value in zip(parts, ("values", "beams", "tokens"), expected, strict=True):
            expect_close(part, value, f"{what}: {name}")

    def a_case_worked_by_hand(self, answer, rng):
        log_p, following = np.log([0.40, 0.35]), np.log([[0.34, 0.335, 0.325], [0.40, 0.32, 0.28]])
        expected = np.log([0.14, 0.136]), [1, 0], [0, 0]
        self._expect_step(answer(log_p, following, 2), expected, "beams of .40 and .35, two of six continuations")

    def equal_to_a_search_one_by_one(self, answer, rng):
        case = rng.normal(size=3), F.log_softmax(rng.normal(size=(3, 7))), 4
        self._expect_step(answer(*case), _one_by_one(*case), "3 beams, 7 tokens, the best 4 one by one")

    def the_first_step_has_one_beam(self, answer, rng):
        case = np.zeros(1), F.log_softmax(rng.normal(size=(1, 11))), 5
        self._expect_step(answer(*case), _one_by_one(*case), "the first step: 1 beam becomes 5")

    def one_beam_may_have_all_the_heirs(self, answer, rng):
        case = np.array([-1.0, -90.0]), F.log_softmax(rng.normal(size=(2, 5))), 3
        self._expect_step(answer(*case), _one_by_one(*case), "one beam is hopeless: the other has all heirs")

    def as_many_beams_as_tokens(self, answer, rng):
        case = rng.normal(size=4), F.log_softmax(rng.normal(size=(4, 4))), 4
        self._expect_step(answer(*case), _one_by_one(*case), "4 beams and 4 tokens")


def _crossing(log_p, n, log_q, m):
    return math.log(log_p / log_q) / math.log(n / m)


@chapter.write(
    "Where the winner changes · medium · 3 points · 15 minutes · may use NumPy",
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
class crossing:
    def two_cases_worked_by_hand(self, answer, rng):
        expect_close(answer(-1.0, 2, -2.0, 4), 1.0, "-1 over 2 tokens and -2 over 4: equal means")
        expect_close(answer(-1.0, 1, -2.0, 4), 0.5, "-1 over 1 token and -2 over 4")

    def the_scores_are_equal_there(self, answer, rng):
        log_p, log_q = -rng.uniform(1, 5), -rng.uniform(6, 20)
        alpha = float(answer(log_p, 3, log_q, 11))
        expect_close(log_q / 11**alpha, log_p / 3**alpha, "score of the longer at the answer, against the shorter's")

    def the_order_of_the_two_does_not_matter(self, answer, rng):
        expect_close(answer(-7.0, 8, -3.0, 5), answer(-3.0, 5, -7.0, 8), "the same two, in the other order")

    def a_negative_exponent_is_an_answer_too(self, answer, rng):
        got = answer(-4.0, 2, -2.0, 4)
        expect_close(got, -1.0, "the longer one is likelier too: only a negative exponent ties them")


def _best_first(ask, stop, priority=lambda log_p, n: -log_p, early=False):
    """The right answer, or with another priority, or with an end as soon as any path has ended."""
    heap: list[tuple[object, list[int], float]] = [((), [], 0.0)]
    while True:
        _, tokens, log_p = heapq.heappop(heap)
        if tokens and tokens[-1] == stop:
            return tokens, log_p
        values = ask(tokens)
        if early and values[stop] > -np.inf:
            return [*tokens, stop], log_p + float(values[stop])
        for token, value in enumerate(values):
            if value > -np.inf:
                total = log_p + float(value)
                heapq.heappush(heap, (priority(total, len(tokens) + 1), [*tokens, token], total))


def _best_of_a_dictionary(ask, stop):
    paths: dict[tuple[int, ...], float] = {(): 0.0}
    while True:
        path = max(paths, key=paths.__getitem__)
        if path[-1:] == (stop,):
            return list(path), paths[path]
        before = paths.pop(path)
        paths |= {(*path, v): before + value for v, value in enumerate(ask(list(path))) if value > -np.inf}


def _depth_first(ask, stop, tokens=(), log_p=0.0):
    if tokens and tokens[-1] == stop:
        return list(tokens), log_p
    paths = [
        _depth_first(ask, stop, (*tokens, token), log_p + float(value))
        for token, value in enumerate(ask(list(tokens)))
        if value > -np.inf and len(tokens) < 60
    ]
    return max(paths, key=lambda path: path[1], default=(list(tokens), -np.inf))


TREE: dict[tuple[int, ...], list[float]] = {  # token 0 is the end; the third word looks worst, and is the best
    (): [0.0, 0.40, 0.35, 0.25],
    (1,): [0.34, 0.33, 0.33, 0.0],
    (2,): [0.40, 0.30, 0.0, 0.30],
    (3,): [0.98, 0.02, 0.0, 0.0],
    **{path: [1.0, 0.0, 0.0, 0.0] for path in ((1, 1), (1, 2), (2, 1), (2, 3), (3, 1))},
}


def _asking(tree):
    def ask(tokens):
        with np.errstate(divide="ignore"):
            return np.log(tree[tuple(tokens)])

    return ask


def _draw_tree(rng, depth=4):
    """Draw a tree of three tokens in which every path has ended after ``depth`` of them."""
    tree = {}
    for n in range(depth):
        for path in itertools.product((1, 2), repeat=n):
            tree[path] = [1.0, 0.0, 0.0] if n == depth - 1 else rng.dirichlet(np.full(3, 0.7)).tolist()
    return tree


@chapter.write(
    "A search that cannot miss · hard · 6 points · 40 minutes · may use NumPy and Python's standard library",
    right=_best_of_a_dictionary,
    wrong={
        "takes the likeliest token each time": lambda ask, stop: _best_first(ask, stop, lambda p, n: (-n, -p)),
        "returns the first path that ends": lambda ask, stop: _best_first(ask, stop, early=True),
        "tries every path": _depth_first,
        "expands the unlikeliest first": lambda ask, stop: _best_first(ask, stop, lambda log_p, n: log_p),
        "ranks by the mean over tokens": lambda ask, stop: _best_first(ask, stop, lambda log_p, n: -log_p / n),
        "expands the shortest first": lambda ask, stop: _best_first(ask, stop, lambda log_p, n: n),
        "leaves the end out of the tokens": lambda *case: (_best_first(*case)[0][:-1], _best_first(*case)[1]),
        "gives the probability": lambda ask, stop: (_best_first(ask, stop)[0], math.exp(_best_first(ask, stop)[1])),
    },
)
class best_first:
    def _expect_path(self, got, tokens, log_p, what):
        path, score = got if isinstance(got, tuple) and len(got) == 2 else (got, None)
        expect_equal([int(token) for token in path], tokens, f"{what}: tokens")
        expect_close(score, log_p, f"{what}: log-probability")

    def a_case_worked_by_hand(self, answer, rng):
        got = answer(_asking(TREE), 0)
        self._expect_path(got, [3, 0], math.log(0.245), "the chapter's kind of tree, .245 behind a first .25")

    def equal_to_the_best_of_all_paths(self, answer, rng):
        for _ in range(20):
            tree = _draw_tree(rng)
            whole = [[*path, 0] for path in tree]
            p = [math.prod(tree[tuple(path[:i])][token] for i, token in enumerate(path)) for path in whole]
            best, what = int(np.argmax(p)), "a random tree, against all its paths"
            self._expect_path(answer(_asking(tree), 0), whole[best], math.log(p[best]), what)

    def it_asks_about_no_path_that_cannot_win(self, answer, rng):
        asked, ask = [], _asking(TREE)

        def spy(tokens):
            asked.append(tuple(tokens))
            return ask(tokens)

        answer(spy, 0)
        if len(asked) > 4 or len(set(asked)) < len(asked):
            raise AssertionError(f"expected 4 calls, each about another path, got {len(asked)} about {len(set(asked))}")

    def it_ends_where_paths_need_not(self, answer, rng):
        def ask(tokens):
            assert len(tokens) < 100, "expected an end, got a path of 100 tokens"
            return np.log([0.6, 0.4]) if tokens else np.log([0.3, 0.7])

        got = answer(ask, 0)
        self._expect_path(got, [1, 0], math.log(0.42), "a model without a greatest length: .3, then .7 times .6")
