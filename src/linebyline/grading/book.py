"""Exercises cut out of the chapters, so that there is no second text to keep in step; a reference must be known."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from linebyline.chapters import chapter_of
from linebyline.exercises import Exercise
from linebyline.grading.cells import FENCE, codes_in
from linebyline.grading.dependencies import IMPORTS, bound, mentioned, needed

SOLUTION = re.compile(r"^(`{3,})\{solution-start\}.*?^\1\{solution-end\}.*?^\1\s*$\n?", re.MULTILINE | re.DOTALL)
EXERCISE = r"^(`{{3,}})\{{exercise-start\}}[^\n]*\n:label: {label}\n\1\n(?P<body>.*?)^\1\{{exercise-end\}}"
SOLVED = r"^(`{{3,}})\{{solution-start\}} {label}\n.*?^\1\{{solution-end\}}"
DIRECTIVE = re.compile(r"^(`{3,})\{(?!code-cell)[\w-]+\}.*?^\1\s*$\n?", re.MULTILINE | re.DOTALL)
HEADER = re.compile(r"^\*\*(?:Easy|Medium|Hard) · [^*]*\*\*\s*", re.MULTILINE)
EQUATION = re.compile(r"^\$\$\n(?P<body>[^$]*?)\n\$\$ \((?P<label>[\w-]+)\)$", re.MULTILINE)
SECTION = re.compile(r"^\((?P<label>[\w-]+)\)=\n#+ (?P<title>.*)$", re.MULTILINE)
ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?P<target>[^`]+)`|\[(?P<text>[^\]]*)\]\(#?(?P<link>[\w.-]+)\)")
ENTRY = r"^@\w+\{{{key},.*?author\s*=\s*\{{(?P<author>[^,}}]+).*?year\s*=\s*\{{(?P<year>\d+)"


@dataclass(frozen=True)
class Excerpt:
    """An exercise taken out of its chapter: a text that refers only to the equations, and the code to begin with.

    ``imports`` and ``helpers`` are the statements of the chapter that these name, with the solution's libraries.
    """

    text: str
    equations: dict[str, str]
    starter: str
    imports: tuple[str, ...]
    helpers: tuple[str, ...]


def book_folder() -> Path:
    """Return the folder of the chapters; a ValueError says that the package was installed without them."""
    folder = Path(__file__).parents[3] / "book"
    if not (folder / "attention.md").is_file():
        raise ValueError(f"{folder}: expected the chapters of the book; install from a clone, with pip install -e .")
    return folder


def excerpt(exercise: Exercise) -> Excerpt:
    """Take an exercise out of its chapter, without its solution; a ValueError says what cannot be found."""
    found = _search(EXERCISE, exercise, "such exercise")
    body = DIRECTIVE.sub("", found["body"])
    starter = "\n\n".join(codes_in(body)).strip()
    text = ROLE.sub(_resolved, HEADER.sub("", FENCE.sub("", body))).strip()
    labels = re.findall(r"\{eq\}`([\w-]+)`", text)
    before = ast.parse("\n".join(codes_in(SOLUTION.sub("", found.string[: found.start()])))).body
    names = _free_names(starter)
    named = {part.name for part in before if isinstance(part, ast.FunctionDef)} & set(re.findall(r"`(\w+)`", body))
    arguments = {node.arg for node in ast.walk(ast.parse(starter)) if isinstance(node, ast.arg)}
    part = needed(before, (names | named) - bound(*ast.parse(starter).body) - arguments - {"check"})
    shown = [ast.unparse(statement) for statement in part if not isinstance(statement, IMPORTS)]
    used, lines = names | _free_names(solution(exercise)) | {"np"}, []
    for statement in before:
        if isinstance(statement, IMPORTS):
            line = ast.unparse(statement)
            if statement in part or ("linebyline" not in line and used & bound(statement)):
                lines.append(line)
    return Excerpt(text, {label: _equations()[label] for label in labels}, starter, tuple(lines), tuple(shown))


def solution(exercise: Exercise) -> str:
    """Return the code of the chapter's solution."""
    return "\n\n".join(codes_in(_search(SOLVED, exercise, "solution of it").group()))


def _search(pattern: str, exercise: Exercise, what: str) -> re.Match[str]:
    source, label = _chapters()[chapter_of(exercise.id)], re.escape(exercise.id.replace(".", "-", 1))
    found = re.search(pattern.format(label=label), source, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"{exercise.id}: its chapter has no {what}")
    return found


def _free_names(code: str) -> set[str]:
    """Return the names that code takes from the chapter before it."""
    statements = ast.parse(code).body
    return mentioned(*statements) - bound(*statements)


@cache
def _chapters() -> dict[str, str]:
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(book_folder().glob("*.md"))}


@cache
def _equations() -> dict[str, str]:
    found = (match for source in _chapters().values() for match in EQUATION.finditer(source))
    return {match["label"]: match["body"].strip() for match in found}


@cache
def _sections() -> dict[str, tuple[str, str]]:
    """Titles of all sections, each with that of its chapter, by label and, for chapters, by the name of the file."""
    titles: dict[str, tuple[str, str]] = {}
    for name, source in _chapters().items():
        found = [(match["label"], match["title"]) for match in SECTION.finditer(source)]
        titles |= {label: (title, found[0][1]) for label, title in found}
        titles |= {f"{name}.md": (found[0][1], found[0][1])} if found else {}
    return titles


def _resolved(role: re.Match[str]) -> str:
    """Write a reference so that it is understood outside the book; one to an equation stays."""
    kind, target = role["role"], role["target"] or role["link"]
    if kind == "eq" and target in _equations():
        return role.group()
    if kind in ("ref", None) and target in _sections():
        title, chapter = _sections()[target]
        shown = f"*{role['text'] or title}*"
        return shown if title == chapter else f"{shown} (chapter *{chapter}*)"
    if kind in ("cite:p", "cite:t"):
        bibliography = (book_folder().parent / "references.bib").read_text(encoding="utf-8")
        entry = re.search(ENTRY.format(key=re.escape(target)), bibliography, re.MULTILINE | re.DOTALL)
        if entry:
            name, year = entry["author"].strip(), entry["year"]
            return f"({name} et al., {year})" if kind == "cite:p" else f"{name} et al. ({year})"
    raise ValueError(f"{role.group()}: the reference cannot be followed outside the book")
