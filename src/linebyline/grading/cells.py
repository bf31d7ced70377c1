"""The cells of a file that was handed in: a notebook, a text with cells, or a plain program."""

import ast
import json
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".ipynb", ".py", ".md")
LARGEST = 10_000_000  # bytes of a file; a notebook with its plots has less
MARK = re.compile(r"^# ?%%.*$", re.MULTILINE)
FENCE = re.compile(r"^(?P<fence>`{3,})(?:\{code-cell\}[^\n]*|python\w*)\n(?P<code>.*?)^(?P=fence)[ \t]*$", re.M | re.S)
OPTIONS = re.compile(r"\A(?:---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
# What only IPython reads: a magic, a shell command, a question.
MAGIC = re.compile(r"^\s*(?:[%!?]|[\w.]+\?{1,2}\s*$|[\w., ]+=\s*[%!])")
INSTALLS = "# Where the package of this course is missing, as on Colab, it is installed; elsewhere nothing happens.\n"
HARMLESS = ("%%time", "%%timeit", "%%capture", "%%python")


@dataclass(frozen=True)
class Cells:
    """The statements of all cells, in order, and what had to be left out."""

    statements: tuple[ast.stmt, ...]
    problems: tuple[str, ...]


def kind_of(file: Path) -> str:
    """Return the extension of a file in lower case."""
    return file.suffix.lower()


def read_cells(file: Path) -> Cells:
    """Read the code of a file; problems with it are listed in the result, never raised."""
    if kind_of(file) not in SUFFIXES:
        return Cells((), (f"{file.name} is not read: hand in a file that ends in {', '.join(SUFFIXES)}",))
    try:
        sources = _sources(file)
    except (OSError, UnicodeDecodeError) as error:
        return Cells((), (f"{file.name} cannot be read: {type(error).__name__}",))
    except (ValueError, RecursionError) as error:
        return Cells((), (f"{file.name} is no {file.suffix} file: {_short(error)}",))
    parsed = [_parsed(source) for source in sources]
    problems = (f"cell {number}{problem}" for number, (_, problem) in enumerate(parsed, start=1) if problem)
    return Cells(tuple(statement for statements, _ in parsed for statement in statements), tuple(problems))


def _sources(file: Path) -> list[str]:
    """Return the text of each code cell."""
    text = _text(file)
    if kind_of(file) == ".ipynb":
        return _of_notebook(text, "code")
    if kind_of(file) == ".md":
        return list(codes_in(text))
    return [part.removeprefix("\n") for part in MARK.split(text) if part.strip()]


def codes_in(text: str) -> Iterator[str]:
    """Yield the code of each cell of a text, without its options."""
    for cell in FENCE.finditer(text):
        yield OPTIONS.sub("", cell["code"])


def texts_of(file: Path) -> list[str]:
    """Return the Markdown cells of a notebook, or a whole text; other files have none.

    Raises OSError, ValueError or RecursionError if the file cannot be read, is no notebook, or is nested too deeply.
    """
    if kind_of(file) == ".ipynb":
        return _of_notebook(_text(file), "markdown")
    return [_text(file)] if kind_of(file) == ".md" else []


def _text(file: Path) -> str:
    size = file.stat().st_size
    if size > LARGEST:
        raise ValueError(f"it has {size} bytes, and {LARGEST} are read at most")
    return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")


def _of_notebook(text: str, kind: str) -> list[str]:
    content = json.loads(text)
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells")
    sources = [cell.get("source", "") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == kind]
    return ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in sources]


def _parsed(source: str) -> tuple[list[ast.stmt], str]:
    """Parse a cell, without its magics if it has some; return also what was left out."""
    if source.lstrip().startswith("%%"):
        first, _, rest = source.lstrip().partition("\n")
        if not first.startswith(HARMLESS):
            return [], f": left out, as only a notebook can run it: {_short(first)}"
        source = rest
    body, error = _statements(source)
    if not error:
        return body, ""
    lines = source.split("\n")
    magics = [line for line in lines if MAGIC.match(line)]
    if not magics:
        return [], error
    indented = [re.sub(r"\S.*", "pass", line) if MAGIC.match(line) else line for line in lines]
    body, error = _statements("\n".join(indented))
    if error or source.startswith(INSTALLS):  # a cell of the hand-out
        return body, error
    left = "; ".join(map(_short, magics))
    return body, f": left out, as only a notebook can run it: {left}"


def _statements(source: str) -> tuple[list[ast.stmt], str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a text is the student's
            compile(tree := ast.parse(source), "cell", "exec")
            return [part for part in tree.body if not isinstance(part, ast.Pass)], ""
    except SyntaxError as error:
        return [], f", line {error.lineno}: {_short(error.msg)}, so the cell is left out"
    except (ValueError, RecursionError, MemoryError) as error:
        return [], f": {_short(error) or type(error).__name__}, so the cell is left out"


def _short(text: object) -> str:
    return textwrap.shorten(str(text), 80, placeholder=" ...")
