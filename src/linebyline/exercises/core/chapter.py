"""The exercises of one chapter, declared in the order of its page."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .code import Code
from .diagnose import Diagnose
from .exercise import Exercise, Rng
from .laws import Law
from .pick import Pick
from .predict import Predict
from .write import Write

HEADLINE = re.compile(r"(.+) · (easy|medium|hard) · (\d+) points? · (\d+) minutes · may use (.+)")
_Kind = TypeVar("_Kind", bound=Exercise)


@dataclass(frozen=True)
class Edit:
    """A wrong answer to *diagnose*: a line, counted from 0, is changed, and the fault is fixed or not."""

    line: int
    by: str
    fixed: bool


def also(line: int, by: str) -> Edit:
    """The fault is fixed, and another line is changed too."""
    return Edit(line, by, fixed=True)


def instead(line: int, by: str) -> Edit:
    """Another line is changed, and the fault stays."""
    return Edit(line, by, fixed=False)


class Chapter:
    r"""The exercises of one chapter, in the order in which its module declares them.

    The name of what is decorated is the last part of the exercise's id. A headline is the title and what the page says
    of it: ``"A weighted average · easy · 1 point · 5 minutes · may use NumPy"``. ``right`` is a right answer, found in
    another way than the chapter finds it, and ``wrong`` are wrong answers, named by their mistake. The names given to a
    chapter are those that the code of *diagnose* may use.

    Laws are the methods of a class, in its order, but for those whose name begins with an underscore. A method's name
    is the law in words, with two underscores for a comma, or its docstring is, where the law has other signs.

    Example:
        >>> chapter = Chapter("arithmetic")
        >>> @chapter.write("Twice · easy · 1 point · 5 minutes · may use a pen", right=lambda x: 2 * x, wrong={})
        ... class double:
        ...     def twice_3_is_6(self, answer, rng):
        ...         assert answer(3) == 6, f"expected 6, got {answer(3)}"
        >>> double.id, double.examine(lambda x: x * x).results[0].message
        ('arithmetic.double', 'expected 6, got 9')
        >>> @chapter.diagnose(
        ...     "A sum · easy · 1 point · 5 minutes · may use a pen",
        ...     '''
        ... def add(x, y):
        ...     z = x - y
        ... !   z = x + y
        ... ?   This subtracts.
        ...     return z
        ... ?   This returns the result.
        ... ''',
        ...     wrong={"multiplies": "z = x * y", "returns the negative": also(2, "return -z")},
        ... )
        ... class add:
        ...     def one_and_two(self, answer, rng):
        ...         assert answer(1, 2) == 3, f"expected 3, got {answer(1, 2)}"
        >>> add.broken(1, 2), add.fixed(1, 2), add.wrong_answers["returns the negative"](1, 2)
        (-1, 3, -3)
    """

    def __init__(self, name: str, **names: Any) -> None:
        self.exercises: list[Exercise] = []
        self._name = name
        self._names = names

    def write(
        self, headline: str, *, right: Callable[..., Any], wrong: Mapping[str, Callable[..., Any]], entry: str = ""
    ) -> Callable[[type], Write]:
        """Ask for a function; the decorated class has its laws."""
        return lambda laws: self._add(Write, laws, headline, right, wrong, laws=_laws(laws), entry=entry)

    def predict(
        self, headline: str, asks: str | tuple[str, ...], *, within: float = 0.02, right: Any, wrong: Mapping[str, Any]
    ) -> Callable[[Callable[[Rng], Any]], Predict]:
        """Ask for numbers, which the decorated function computes."""
        names = (asks,) if isinstance(asks, str) else asks
        return lambda f: self._add(Predict, f, headline, right, wrong, asks=names, compute=f, within=within)

    def pick(
        self, headline: str, asks: str, options: tuple[str, ...], *, right: str, wrong: Mapping[str, str]
    ) -> Callable[[Callable[[Rng], str]], Pick]:
        """Ask for one of some options, which the decorated function finds."""
        return lambda f: self._add(Pick, f, headline, right, wrong, asks=asks, options=options, compute=f)

    def diagnose(
        self, headline: str, code: str, *, wrong: Mapping[str, str | Edit | Callable[..., Any]]
    ) -> Callable[[type], Diagnose]:
        """Ask for the faulty line of a function; the decorated class has its laws.

        In ``code`` a line that begins with ``!`` is the fix of the line above it, and one that begins with ``?`` is the
        remark on it. A wrong answer is a wrong fix of the faulty line, as a string, or what ``also`` or ``instead``
        says, or a function. The right answer is the fixed function.
        """
        text, fixes, remarks = _read(code)
        ((fault, fix),) = fixes.items()
        broken = Code(text, **self._names)
        fixed = broken.with_line(fault, fix)

        def wrong_answer(how: str | Edit | Callable[..., Any]) -> Callable[..., Any]:
            match how:
                case str():
                    return broken.with_line(fault, how)
                case Edit():
                    return (fixed if how.fixed else broken).with_line(how.line, how.by)
            return how

        more = {"broken": broken, "fixed": fixed, "fault": fault, "remarks": remarks, "entry": broken.name}
        answers = {name: wrong_answer(how) for name, how in wrong.items()}
        return lambda laws: self._add(Diagnose, laws, headline, fixed, answers, laws=_laws(laws), **more)

    def _add(
        self,
        kind: type[_Kind],
        named: Callable[..., Any],
        headline: str,
        right: Any,
        wrong: Mapping[str, Any],
        **more: Any,
    ) -> _Kind:
        id, read = f"{self._name}.{named.__name__}", HEADLINE.fullmatch(headline)
        if not read:
            raise ValueError(f"{id}: expected 'title · easy · 1 point · 5 minutes · may use NumPy', got {headline!r}")
        title, difficulty, points, minutes, may_use = read.groups()
        more["entry"] = more.get("entry") or named.__name__
        more |= {"title": title, "difficulty": difficulty, "points": int(points), "minutes": int(minutes)}
        exercise = kind(id=id, may_use=may_use, right=right, wrong_answers=wrong, **more)
        self.exercises.append(exercise)
        return exercise


def spoiling(answer: Callable[..., Any], *numbers: int) -> Callable[..., Any]:
    """Return a wrong answer: what an answer returns, but some of its arguments, counted from 0, are changed by then."""

    def spoil(*args: Any) -> Any:
        result = answer(*args)
        for number in numbers:
            args[number][...] += 1
        return result

    return spoil


def _laws(declared: type) -> tuple[Law, ...]:
    """Collect the laws that are a class's methods."""
    tests = {name: test for name, test in vars(declared).items() if not name.startswith("_")}
    return tuple(
        Law(test.__doc__ or name.replace("__", ", ").replace("_", " "), getattr(declared(), name))
        for name, test in tests.items()
    )


def _read(code: str) -> tuple[str, dict[int, str], dict[int, str]]:
    """Split annotated code into its text, and the fixes and remarks by the number of their line."""
    lines: list[str] = []
    fixes: dict[int, str] = {}
    remarks: dict[int, str] = {}
    for line in code.strip().splitlines():
        above = len(lines) - 1
        match line[:1]:
            case "!":
                fixes[above] = line[1:].strip()
            case "?":
                remarks[above] = f"{remarks.get(above, '')} {line[1:].strip()}".strip()
            case _:
                lines.append(line)
    return "\n".join(lines), fixes, remarks
