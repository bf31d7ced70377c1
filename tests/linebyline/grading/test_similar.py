"""Similar submissions: a copy is found under other names, and who works alone is left alone."""

import ast
import csv
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linebyline.exercises import Write, registry
from linebyline.grading.assignment import read_assignment
from linebyline.grading.book import excerpt, solution
from linebyline.grading.similar import FEWEST, THRESHOLD, Pair, _source, jaccard, known_answers, ngrams, similar_pairs
from tests.few import few
from tests.linebyline.grading.helpers import HEAD, write

WRITTEN = {id: exercise for id, exercise in registry().items() if isinstance(exercise, Write)}
NAMES = st.text("abcdefgh", min_size=3, max_size=8)


def own_names(tree):
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return sorted(stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)})


@few
@given(st.sampled_from(sorted(WRITTEN)), st.integers(0, 2**32), st.booleans())
def test_a_copy_is_found_under_other_names(id, seed, documented):
    code = solution(WRITTEN[id])
    tree = ast.parse(code)
    draw = random.Random(seed)
    called = {name: f"{name}_{draw.randrange(1000)}" for name in own_names(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = called.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = called[node.arg]
        elif isinstance(node, ast.FunctionDef) and documented:
            node.body.insert(0, ast.Expr(ast.Constant("Mine.")))
    assert jaccard(ngrams(code), ngrams("# my own\n" + ast.unparse(tree))) == 1
    draw.shuffle(tree.body)  # in another order all runs but those across borders are there
    assert len(ngrams(code) & ngrams(ast.unparse(tree))) >= len(ngrams(code)) - 4 * len(tree.body)


def test_other_calls_constants_and_attributes_are_other_code():
    code = "def f(x): return np.mean(x, axis=0)"
    for other in ("np.sum(x, axis=0)", "np.mean(x, axis=1)", "np.mean(x, keepdims=0)", "torch.mean(x, axis=0)"):
        assert jaccard(ngrams(code), ngrams(f"def f(x): return {other}")) < 1


def independent():
    """Pairs of answers that were written apart: the book's and the tests' own, where both are long enough."""
    for id, exercise in WRITTEN.items():
        starter = ngrams(excerpt(exercise).starter)
        other = next(iter(_source(exercise.right)), "") if callable(exercise.right) else ""
        one, two = ngrams(solution(exercise)) - starter, ngrams(other) - starter
        if min(len(one), len(two)) >= FEWEST:
            yield id, jaccard(one, two)


def test_answers_that_were_written_apart_are_not_near():
    shares = dict(independent())
    assert len(shares) == 38  # as the instructors' page says
    assert max(shares.values()) < 0.4 < THRESHOLD


def test_near_to_each_other_and_not_to_what_is_known():
    a, b, c, known = (
        frozenset((str(i),) for i in rows) for rows in (range(60), range(4, 64), range(70, 130), range(50))
    )
    assert similar_pairs("x", {"eve": a, "ada": b, "ben": c}, []) == [Pair("x", "ada", "eve", 56 / 64, 0.0)]
    # As near to the book as to each other: both may have read it.
    assert similar_pairs("x", {"eve": a, "ada": b}, [b]) == []
    assert similar_pairs("x", {"eve": a, "ada": b}, [known])[0].known == pytest.approx(50 / 60)
    few = frozenset(list(a)[: FEWEST - 1])
    assert similar_pairs("x", {"eve": few, "ada": few}, []) == []


def test_the_known_answers_are_the_books_and_those_that_students_give():
    assert known_answers(WRITTEN["masks_and_cross_attention.window"])[0].startswith("def window")
    for exercise in WRITTEN.values():
        assert len(known_answers(exercise)) == 1 + len(exercise.wrong_answers)
        assert all(ngrams(code) for code in known_answers(exercise))


INDUCTION = HEAD + '[[exercises]]\nid = "multi_head_attention.induction"\n'
LONG = """
def induction({a}, {b}):
    {c} = np.zeros(len({a}))
    for i, row in enumerate({a}):
        while {c}[i] < 3 and row.sum() > {b}:
            {c}[i] += np.linalg.norm(row) ** 2 / (1 + row.max())
        if i % 2: {c}[i] = {c}[:i].mean() - row.min()
    return {c}
"""


def test_helpers_of_the_hand_out_are_nobodys_copy(grade, tmp_path, out):
    text = INDUCTION.replace("multi_head_attention.induction", "tokenization.train")
    given = "\n\n".join(excerpt(WRITTEN["tokenization.train"]).helpers)
    assert len(ngrams(given)) > FEWEST
    own = ["sorted(word_counts)[:n_merges]", "[learn, merged][n_merges](word_counts)"]
    answers = [f"{given}\n\ndef train(word_counts, n_merges):\n    return learn({body}, merged)" for body in own]
    assert jaccard(*map(ngrams, answers)) > THRESHOLD
    grade(of=read_assignment(write(tmp_path, text)), ada=answers[0], eve=answers[1])
    assert len((out / "similar.csv").read_text().splitlines()) == 1


def test_a_batch_names_the_pair_and_the_book_is_no_crime(grade, tmp_path, out):
    copied = [LONG.format(a=a, b=b, c=c) for a, b, c in (("maps", "ids", "found"), ("x", "limit", "result"))]
    book = solution(WRITTEN["multi_head_attention.induction"])
    broken = "def induction(maps, ids):\n    return " + "(" * 80 + "1" + ")" * 80
    deep = "def induction(maps, ids):\n    return " + "-" * 600 + "1"
    assignment = read_assignment(write(tmp_path, INDUCTION))
    grade(of=assignment, ada=copied[0], eve=copied[1], ben=book, cem=book, dora=broken, eli=deep)
    rows = list(csv.reader((out / "similar.csv").read_text().splitlines()))
    assert rows[0] == ["exercise", "student", "and", "shared", "with a known answer"]
    assert [row[:4] for row in rows[1:]] == [["multi_head_attention.induction", "ada", "eve", "1.00"]]
    assert float(rows[1][4]) < 0.3
