"""Pairs of submissions that are more similar to each other than to any known answer: somebody should look at them.

Similarity proves nothing: two students may have learned from the same page. The list says where to look first. One
exercise is compared at a time, by the syntax tree, without the starter.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from clearformer.files import write_whole
from linebyline.exercises import Code, Exercise, Write
from linebyline.grading.assignment import Task
from linebyline.grading.book import excerpt, solution
from linebyline.grading.cells import Cells
from linebyline.grading.files import as_csv
from linebyline.grading.submission import answers_in

N = 5  # tokens of the syntax tree in an n-gram
FEWEST = 40  # n-grams that an answer must have beyond the starter to be compared: about six lines
THRESHOLD = 0.6
NGrams = frozenset[tuple[str, ...]]


class Pair(NamedTuple):
    """Two answers to an exercise, their similarity, and the higher of their similarities to known answers."""

    exercise: str
    one: str
    other: str
    similarity: float
    known: float


def ngrams(code: str) -> NGrams:
    r"""Return the 5-grams of a program's syntax tree, in which all names that the program defines are the same token.

    So comments, docstrings, annotations, spacing, other names and another order of functions change little or nothing.

    Example:
        >>> ngrams("def f(x): return x + x * 2") == ngrams("def g(width: int): # 2\n  return width + width * 2")
        True
    """
    tree = ast.parse(code)
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    tokens = list(_tokens(tree, own))
    return frozenset(tuple(tokens[i : i + N]) for i in range(len(tokens) - N + 1))


def _tokens(node: ast.AST, own: set[str]) -> Iterator[str]:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.expr_context() | ast.Expr(value=ast.Constant()):
            return  # the last is a docstring, or a statement without effect
        case ast.Name(id=name):
            yield "name" if name in own else name
        case ast.Constant(value=value):
            yield repr(value)[:40]
        case ast.arg():
            yield "arg"
        case _:
            yield getattr(node, "attr", None) or getattr(node, "arg", None) or type(node).__name__
            for field, value in ast.iter_fields(node):
                if field not in ("returns", "annotation", "type_comment"):
                    for child in value if isinstance(value, list) else [value]:
                        if isinstance(child, ast.AST):
                            yield from _tokens(child, own)


def jaccard(one: NGrams, other: NGrams) -> float:
    """Return the fraction of n-grams that both have among those that either has (Jaccard's index)."""
    return len(one & other) / max(1, len(one | other))


def known_answers(exercise: Exercise) -> list[str]:
    """Return the answers that everybody may come to: the book's, and the wrong ones that students often give."""
    return [solution(exercise), *(text for answer in exercise.wrong_answers.values() for text in _source(answer))]


def _source(answer: object) -> Iterator[str]:
    """Yield the source of a function: a definition, an entry of a dictionary, or an argument."""
    if isinstance(answer, partial):
        answer = answer.func
    if isinstance(answer, Code):
        yield answer.text
    elif callable(answer):
        source = textwrap.dedent(inspect.getsource(answer))
        if source.startswith(("def ", "return ")):
            yield source
        else:
            yield "{" + source + "}" if source.startswith('"') else f"dict({source})"


def similar_pairs(exercise: str, answers: Mapping[str, NGrams], known: Sequence[NGrams]) -> list[Pair]:
    """Return the pairs of students whose answers are more similar to each other than either is to a known one."""
    long = {student: answer for student, answer in answers.items() if len(answer) >= FEWEST}
    usual = {student: max((jaccard(answer, other) for other in known), default=0.0) for student, answer in long.items()}
    pairs = [
        Pair(exercise, one, other, jaccard(long[one], long[other]), max(usual[one], usual[other]))
        for one, other in combinations(sorted(long), 2)
    ]
    return [pair for pair in pairs if pair.similarity >= THRESHOLD and pair.similarity > pair.known]


def similar(tasks: Iterable[Task], submissions: Mapping[str, Cells]) -> list[Pair]:
    """Return the pairs of all exercises in which code is written, the most similar first."""
    pairs: list[Pair] = []
    for task in tasks:
        if not isinstance(task.exercise, Write):
            continue
        given = excerpt(task.exercise)
        starter = ngrams("\n\n".join([*given.helpers, given.starter]))
        book, *wrong = known_answers(task.exercise)
        known = [_answer(Cells(tuple(ast.parse(book).body), ()), task), *map(ngrams, wrong)]
        answers = {student: _answer(cells, task) - starter for student, cells in submissions.items()}
        pairs += similar_pairs(task.id, answers, [answer - starter for answer in known])
    return sorted(pairs, key=lambda pair: (-pair.similarity, *pair[:3]))


def _answer(cells: Cells, task: Task) -> NGrams:
    try:
        return ngrams(answers_in(cells, [task]).code)
    except RecursionError:  # nobody writes by hand what is nested so deeply
        return frozenset()


def write_similar(file: Path, pairs: Iterable[Pair]) -> None:
    """Write a row for each pair: the exercise, the two students, their similarity and that to a known answer."""
    head = ["exercise", "student", "and", "shared", "with a known answer"]
    rows = [[*pair[:3], f"{pair.similarity:.2f}", f"{pair.known:.2f}"] for pair in pairs]
    write_whole(file, as_csv([head, *rows]))
