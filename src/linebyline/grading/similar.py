"""Pairs of submissions that are nearer to each other than to any answer that is known: somebody should look at them.

Nearness proves nothing: two students may have learned from the same page. What is told is where to look first.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

from clearformer.files import write_whole
from linebyline.exercises import Code, Exercise, Write
from linebyline.grading.assignment import Task
from linebyline.grading.book import excerpt, solution
from linebyline.grading.cells import Cells
from linebyline.grading.gradebook import as_csv
from linebyline.grading.submission import answers_in

LENGTH = 5  # tokens of the syntax tree that are compared as one
LEAST = 40  # such runs that an answer must have beyond the starter to say anything: about six lines
NEAR = 0.6
Runs = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Pair:
    """Two answers to an exercise, the fraction of their runs that both have, and the largest with a known answer."""

    exercise: str
    one: str
    other: str
    shared: float
    known: float


def runs(code: str) -> Runs:
    r"""Return the runs of five tokens of a program's syntax tree, in which names that it makes up count as one.

    So comments, docstrings, annotations, spacing, other names and another order of functions change little or nothing.

    Example:
        >>> runs("def f(x): return x + x * 2") == runs("def g(width: int): # double\n  return width + width * 2")
        True
    """
    tree = ast.parse(code)
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    tokens = list(_tokens(tree, own))
    return frozenset(tuple(tokens[i : i + LENGTH]) for i in range(len(tokens) - LENGTH + 1))


def _tokens(node: ast.AST, own: set[str]) -> Iterator[str]:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.expr_context():
            return
        case ast.Expr(value=ast.Constant()):  # a docstring, or what does nothing
            return
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


def share(one: Runs, other: Runs) -> float:
    """Return the fraction of runs that both have among those that either has (Jaccard's index)."""
    return len(one & other) / max(1, len(one | other))


def known(exercise: Exercise) -> list[str]:
    """Return the answers to an exercise that everybody may come to: the book's, and those that students often give."""
    return [solution(exercise), *(text for answer in exercise.wrong_answers.values() for text in _source(answer))]


def _source(answer: object) -> Iterator[str]:
    """Return the source of a function: a definition, an entry of a dictionary, or an argument."""
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


def near(exercise: str, answers: Mapping[str, Runs], models: Sequence[Runs]) -> list[Pair]:
    """Find pairs of answers nearer to each other than either is to what is known.

    Args:
        exercise: Its id.
        answers: By student, without what the starter gave them; those of fewer than 40 runs say nothing.
        models: What is known, in the same form.
    """
    told = {student: answer for student, answer in answers.items() if len(answer) >= LEAST}
    usual = {student: max((share(answer, model) for model in models), default=0.0) for student, answer in told.items()}
    found = []
    for one, other in combinations(sorted(told), 2):
        both, before = share(told[one], told[other]), max(usual[one], usual[other])
        if both >= NEAR and both > before:
            found.append(Pair(exercise, one, other, both, before))
    return found


def similar(tasks: Iterable[Task], submissions: Mapping[str, Cells]) -> list[Pair]:
    """Find the pairs of all exercises in which code is written, the nearest first."""
    found: list[Pair] = []
    for task in tasks:
        if not isinstance(task.exercise, Write):
            continue
        taken = excerpt(task.exercise)
        starter = runs("\n\n".join([*taken.helpers, taken.starter]))
        book, *wrong = known(task.exercise)
        models = [_answer(Cells(tuple(ast.parse(book).body), ()), task), *map(runs, wrong)]
        models = [model - starter for model in models]
        answers = {student: _answer(cells, task) - starter for student, cells in submissions.items()}
        found += near(task.id, answers, models)
    return sorted(found, key=lambda pair: (-pair.shared, pair.exercise, pair.one, pair.other))


def _answer(cells: Cells, task: Task) -> Runs:
    try:
        return runs(answers_in(cells, [task]).code)
    except RecursionError:  # nobody writes by hand what is nested so deeply
        return frozenset()


def write_similar(file: Path, pairs: Iterable[Pair]) -> None:
    """Write a row for each pair: the exercise, the two, what they share, and what one shares with a known answer."""
    head = ["exercise", "student", "and", "shared", "with a known answer"]
    rows = [[pair.exercise, pair.one, pair.other, f"{pair.shared:.2f}", f"{pair.known:.2f}"] for pair in pairs]
    write_whole(file, as_csv([head, *rows]))
