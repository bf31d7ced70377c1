"""The exercises of one chapter, declared in the order of its page."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .code import Code
from .diagnose import Diagnose
from .exercise import Exercise, Rng
from .laws import Law, LawTest
from .pick import Pick
from .predict import Predict
from .write import Write

LEVEL = re.compile(r"(easy|medium|hard) · (\d+) points? · (\d+) minutes · may use (.+)")
_Kind = TypeVar("_Kind", bound=Exercise)
_Laws = Callable[[Callable[..., Any]], None]  # a function that declares laws with the decorator it is given


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

    The name of a decorated function is the last part of the exercise's id. A level is what the page says:
    ``"easy · 1 point · 5 minutes · may use NumPy"``. ``right`` is a right answer, found in another way than the chapter
    finds it, and ``wrong`` are wrong answers, named by their mistake. The names given to a chapter are those that the
    code of *diagnose* may use.

    Example:
        >>> chapter = Chapter("arithmetic")
        >>> @chapter.write("Twice", "easy · 1 point · 5 minutes · may use a pen", right=lambda x: 2 * x, wrong={})
        ... def double(law):
        ...     @law("twice 3 is 6")
        ...     def _(answer, rng):
        ...         assert answer(3) == 6, f"expected 6, got {answer(3)}"
        >>> double.id, double.examine(lambda x: x * x).results[0].message
        ('arithmetic.double', 'expected 6, got 9')
        >>> @chapter.diagnose(
        ...     "A sum",
        ...     "easy · 1 point · 5 minutes · may use a pen",
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
        ... def add(law):
        ...     @law("1 and 2")
        ...     def _(answer, rng):
        ...         assert answer(1, 2) == 3, f"expected 3, got {answer(1, 2)}"
        >>> add.broken(1, 2), add.fixed(1, 2), add.wrong_answers["returns the negative"](1, 2)
        (-1, 3, -3)
    """

    def __init__(self, name: str, **names: Any) -> None:
        self.exercises: list[Exercise] = []
        self._name = name
        self._names = names

    def write(
        self,
        title: str,
        level: str,
        *,
        right: Callable[..., Any],
        wrong: Mapping[str, Callable[..., Any]],
        entry: str = "",
    ) -> Callable[[_Laws], Write]:
        """Ask for a function; the decorated one declares its laws."""
        return lambda f: self._add(Write, f, title, level, right, wrong, laws=_laws(f), entry=entry)

    def predict(
        self,
        title: str,
        level: str,
        asks: str | tuple[str, ...],
        *,
        within: float,
        right: Any,
        wrong: Mapping[str, Any],
    ) -> Callable[[Callable[[Rng], Any]], Predict]:
        """Ask for numbers, which the decorated function computes."""
        names = (asks,) if isinstance(asks, str) else asks
        return lambda f: self._add(Predict, f, title, level, right, wrong, asks=names, compute=f, within=within)

    def pick(
        self, title: str, level: str, asks: str, options: tuple[str, ...], *, right: str, wrong: Mapping[str, str]
    ) -> Callable[[Callable[[Rng], str]], Pick]:
        """Ask for one of some options, which the decorated function finds."""
        return lambda f: self._add(Pick, f, title, level, right, wrong, asks=asks, options=options, compute=f)

    def diagnose(
        self, title: str, level: str, code: str, *, wrong: Mapping[str, str | Edit | Callable[..., Any]]
    ) -> Callable[[_Laws], Diagnose]:
        """Ask for the faulty line of a function; the decorated function declares its laws.

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

        more = {"broken": broken, "fixed": fixed, "fault": fault, "remarks": remarks}
        answers = {name: wrong_answer(how) for name, how in wrong.items()}
        return lambda f: self._add(Diagnose, f, title, level, fixed, answers, laws=_laws(f), **more)

    def _add(
        self,
        kind: type[_Kind],
        function: Callable[..., Any],
        title: str,
        level: str,
        right: Any,
        wrong: Mapping[str, Any],
        **more: Any,
    ) -> _Kind:
        id, read = f"{self._name}.{function.__name__}", LEVEL.fullmatch(level)
        if not read:
            raise ValueError(
                f"{id}: expected a level such as 'easy · 1 point · 5 minutes · may use NumPy', got {level!r}"
            )
        exercise = kind(
            id=id,
            title=title,
            difficulty=read[1],  # type: ignore[arg-type]  # the pattern has the three
            points=int(read[2]),
            minutes=int(read[3]),
            may_use=read[4],
            right=right,
            wrong_answers=wrong,
            **more,
        )
        self.exercises.append(exercise)
        return exercise


def _laws(declare: _Laws) -> tuple[Law, ...]:
    """Collect the laws that a function declares with ``law(name)`` or ``law(name, weight=2)``, in its order."""
    laws: list[Law] = []

    def law(name: str, weight: int = 1) -> Callable[[LawTest], None]:
        return lambda test: laws.append(Law(name, test, weight))

    declare(law)
    return tuple(laws)


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
