"""The docstrings of NumPy and SciPy: two manuals, and the same bytes wherever the same versions are installed."""

import ast
import hashlib
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from linebyline.corpora.collection import without_collection

PACKAGES = ("numpy", "scipy")
WORDS_IN_A_ROW = 8
# Tests; what other projects wrote; what a machine or one version of Python has for itself.
_LEFT_OUT = frozenset({"tests", "__pycache__", "array_api_compat", "array_api_extra", "distutils", "__config__.py"})
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings() -> str:
    r"""The docstrings of NumPy and SciPy, each paragraph once: about 6 MB of technical English with code.

    Their sources are read, not imported. Files come in the order of their paths, package by package, and docstrings
    as they stand in a file, those of functions in C among them where ``add_newdoc`` gives them.

    Example:
        >>> docstrings()[:35]
        'NumPy\n=====\n\nProvides\n  1. An array'
    """
    return _joined(paragraph for _, paragraphs in _files() for paragraph in paragraphs)


@cache  # comparing rows of words takes a second
def docstrings_split(share: float = 0.06) -> tuple[str, str]:
    """Part the docstrings into a text to train on and one to validate on that cannot be known from the first.

    Whole files are drawn, by a hash of their paths, because the functions of a file describe their parameters in the
    same words. Families of functions reach over files, too: a paragraph for validation is left out if eight of its
    words stand in the training text in a row.

    Args:
        share: Share of the files to validate on, nearly.

    Raises:
        ValueError: ``share`` is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"share={share} must lie between 0 and 1")
    parts: tuple[list[str], list[str]] = [], []
    for path, paragraphs in _files():
        drawn = int(hashlib.sha256(path.encode()).hexdigest(), 16) < share * 2**256
        parts[drawn].extend(paragraphs)
    train = _joined(parts[0])
    known = set(_rows_of_words(train))
    unseen = [paragraph for paragraph in parts[1] if known.isdisjoint(_rows_of_words(paragraph))]
    return train, _joined(unseen)


def docstrings_versions() -> str:
    """Name the packages that the docstrings come from, with their versions: other versions have another text."""
    return ", ".join(f"{package} {version(package)}" for package in PACKAGES)


def text_hash(text: str) -> str:
    """Name a text by its bytes, so that weights can say what they were trained on.

    Example:
        >>> text_hash("a text") == text_hash("another text")
        False
    """
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def paragraphs_of(source: str | bytes) -> list[str]:
    r'''The paragraphs of the docstrings in a Python source, in its order, without indentation.

    Example:
        >>> paragraphs_of('"""Adds."""\ndef add(a, b):\n    "Add.\\n\\n    Two numbers."')
        ['Adds.', 'Add.', 'Two numbers.']
    '''
    found = []
    for literal in _docstrings(ast.parse(source)):
        lines = (line.rstrip() for line in inspect.cleandoc(literal).split("\n"))
        found += [paragraph.strip("\n") for paragraph in re.split(r"\n\n+", "\n".join(lines))]
    return [paragraph for paragraph in found if paragraph]


@cache  # parsing takes seconds
@without_collection()  # there are no cycles in a tree of syntax
def _files() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each file by its path below the folder of the packages, with the paragraphs that stand there first."""
    found: list[tuple[str, tuple[str, ...]]] = []
    seen: set[str] = set()
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"the text needs the sources of {package}, and it is not installed")
        folder = Path(spec.origin).parent
        for path in _sources(folder):
            fresh = tuple(p for p in dict.fromkeys(paragraphs_of(path.read_bytes())) if p not in seen)
            seen.update(fresh)
            found.append((path.relative_to(folder.parent).as_posix(), fresh))
    return tuple(found)


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name in _LEFT_OUT:
            continue
        if path.is_dir():
            yield from _sources(path)
        elif path.suffix == ".py":
            yield path


def _docstrings(node: ast.AST) -> Iterator[str]:
    """The literals that document a node and what stands in it, or are handed to ``add_newdoc`` there.

    They are read as written: from 3.13 on, what Python itself calls ``__doc__`` comes without its indentation.
    """
    if isinstance(node, _DOCUMENTED) and node.body and isinstance(node.body[0], ast.Expr):
        yield from _strings(node.body[0].value)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(call := child.value, ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "add_newdoc":
                # The other strings are names, in which there is no space.
                yield from (text for argument in call.args for text in _strings(argument) if len(text.split()) > 1)
        elif isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _docstrings(child)


def _strings(node: ast.expr) -> Iterator[str]:
    """A literal, or those of a tuple or a list."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _strings(element)


def _joined(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(paragraphs) + "\n"


def _rows_of_words(text: str) -> Iterator[tuple[str, ...]]:
    """Each eight words that follow each other, whatever their case, and what stands between them."""
    words = re.findall(r"\w+", text.lower())
    return zip(*(words[i:] for i in range(WORDS_IN_A_ROW)), strict=False)
