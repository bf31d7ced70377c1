"""A function that is given by its code, so that a page can show it line by line."""

import ast
from collections.abc import Callable
from functools import cached_property
from typing import Any


class Code:
    r"""A function as a chapter shows it, and the names that the chapter has imported before it.

    Raises:
        SyntaxError: the text is not Python.
        ValueError: it does not define exactly one function.

    Example:
        >>> double = Code("def double(x):\n    return x * factor", factor=2)
        >>> double(21), double.with_line(1, "return x + x")("ab")
        (42, 'abab')
    """

    def __init__(self, text: str, **names: Any) -> None:
        self.text = text.strip()
        self._names = names
        body = ast.parse(self.text).body
        if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
            raise ValueError(f"expected the code of one function, got {len(body)} statements: {self.text[:60]!r}")
        self.name = body[0].name
        # The first line of the body may follow a signature of several lines.
        self._first = body[0].body[0].lineno - 1

    @property
    def lines(self) -> list[str]:
        """The lines of the code."""
        return self.text.splitlines()

    @property
    def choices(self) -> list[int]:
        """The numbers, from 0, of the lines of the body that compute something."""
        numbered = enumerate(self.lines)
        return [i for i, line in numbered if i >= self._first and line.strip() and not line.strip().startswith("#")]

    def with_line(self, number: int, text: str) -> "Code":
        """Return the same function with another text in one line, counted from 0; its indentation stays."""
        lines = self.lines
        lines[number] = lines[number].replace(lines[number].strip(), text)
        return Code("\n".join(lines), **self._names)

    @cached_property
    def _function(self) -> Callable[..., Any]:
        names = dict(self._names)
        exec(compile(self.text, f"<{self.name}>", "exec"), names)
        function: Callable[..., Any] = names[self.name]
        return function

    def __call__(self, *args: Any) -> Any:
        """Call the function."""
        return self._function(*args)
