"""The docstrings of NumPy and SciPy: two manuals, kept beside this file, so that every machine has the same text.

``python -m linebyline.corpora.docstrings`` writes the file anew, from the versions that are installed. Models that
were trained on the text then have to be trained again.
"""

import ast
import hashlib
import inspect
import lzma
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from .python import source_files

PACKAGES = ("numpy", "scipy")
KEPT = Path(__file__).with_name("docstrings.txt.xz")
PAGE_BREAK = "\f"  # between files; the first line of each is its path
N_GRAM = 8
# Tests; code of other projects; what belongs to one machine or one version of Python.
_LEFT_OUT = frozenset({"tests", "__pycache__", "array_api_compat", "array_api_extra", "distutils", "__config__.py"})
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings() -> str:
    r"""Return the docstrings of NumPy and SciPy, each paragraph once: about 6 MB of technical English with code.

    Files come in the order of their paths, package by package, and docstrings in the order of a file, including those
    that ``add_newdoc`` gives to functions in C.

    Example:
        >>> docstrings()[:35]
        'NumPy\n=====\n\nProvides\n  1. An array'
    """
    return _joined(paragraph for _, paragraphs in _files() for paragraph in paragraphs)


@cache  # comparing n-grams takes a second
def docstrings_split(fraction: float = 0.06, *, related: bool = False) -> tuple[str, str]:
    """Split the docstrings into a training text and a validation text that cannot be known from the first.

    Whole files are chosen, by a hash of their paths, because the functions of a file describe their parameters in the
    same words. Related functions are in several files, too: a paragraph for validation is left out if it has eight
    words in a row that are in the training text. About ``fraction`` of the files are for validation. With
    ``related``, such paragraphs stay, to see how much authors quote each other.
    """
    parts: tuple[list[str], list[str]] = [], []
    for path, paragraphs in _files():
        validates = int(hashlib.sha256(path.encode()).hexdigest(), 16) < fraction * 2**256
        parts[validates].extend(paragraphs)
    train = _joined(parts[0])
    known = set[tuple[str, ...]]() if related else set(_n_grams(train))
    return train, _joined(paragraph for paragraph in parts[1] if known.isdisjoint(_n_grams(paragraph)))


def docstrings_versions() -> str:
    """Return the names and versions of the packages that the text is from."""
    return _kept()[0]


def text_hash(text: str) -> str:
    """Return a short hash of a text, by which weights name what they were trained on."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def paragraphs_of(source: str | bytes) -> list[str]:
    r"""Return the paragraphs of the docstrings in a Python source, in its order, without indentation."""
    paragraphs = []
    for literal in _docstrings(ast.parse(source)):
        lines = (line.rstrip() for line in inspect.cleandoc(literal).split("\n"))
        paragraphs += [paragraph.strip("\n") for paragraph in re.split(r"\n\n+", "\n".join(lines))]
    return [paragraph for paragraph in paragraphs if paragraph]


@cache
def _kept() -> list[str]:
    """Return the versions, and each file with its path and paragraphs."""
    return lzma.decompress(KEPT.read_bytes()).decode().split(PAGE_BREAK)


def _files() -> Iterator[tuple[str, list[str]]]:
    """Yield the path of each file, below the folder of the packages, and its paragraphs."""
    for file in _kept()[1:]:
        path, *paragraphs = file.split("\n\n")
        yield path, paragraphs


def installed_docstrings() -> str:
    """Return the text of ``docstrings.txt.xz`` as the installed packages give it; sources are read, not imported.

    The paragraphs of a file are those that no file before it has.
    """
    files, seen = [", ".join(f"{package} {version(package)}" for package in PACKAGES)], set[str]()
    for package in PACKAGES:
        folder = Path(str(find_spec(package).origin)).parent  # type: ignore[union-attr]
        for path in source_files(folder, _LEFT_OUT):
            new = [p for p in dict.fromkeys(paragraphs_of(path.read_bytes())) if p not in seen]
            seen.update(new)
            files.append("\n\n".join([path.relative_to(folder.parent).as_posix(), *new]))
    return PAGE_BREAK.join(files)


def _docstrings(node: ast.AST) -> Iterator[str]:
    """The literals, as written, that document a node and what it contains, or that it passes to ``add_newdoc``."""
    if isinstance(node, _DOCUMENTED) and node.body and isinstance(node.body[0], ast.Expr):
        yield from _strings(node.body[0].value)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(call := child.value, ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "add_newdoc":
                # The other strings are names, which have no spaces.
                yield from (text for argument in call.args for text in _strings(argument) if len(text.split()) > 1)
        elif isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _docstrings(child)


def _strings(node: ast.expr) -> Iterator[str]:
    """A string literal, or those of a tuple or a list."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _strings(element)


def _joined(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(paragraphs) + "\n"


def _n_grams(text: str) -> Iterator[tuple[str, ...]]:
    """Each eight words in a row, ignoring case and what is between them."""
    words = re.findall(r"\w+", text.lower())
    return zip(*(words[i:] for i in range(N_GRAM)), strict=False)


if __name__ == "__main__":
    KEPT.write_bytes(lzma.compress(installed_docstrings().encode(), preset=9 | lzma.PRESET_EXTREME))
