"""How chapters explain, as far as it can be counted."""

import ast
import re

import chapters
import page_directives
import pytest

from linebyline.chapters import CHAPTERS
from tests.book.test_columns import includes

# The path to the language model, in its order.
PATH = ("first_model", "tokenization", "embeddings", "attention", "masks_and_cross_attention", "positional_encoding")
PATH += ("multi_head_attention", "induction_heads", "relative_positions", "feed_forward", "normalization")
PATH += ("language_model",)
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HIDDEN = re.compile(r"tags: \[.*\b(?:hide|remove)-input\b")
INCLUDE = re.compile(r"^`{3,}\{literalinclude\} (\S+)\n((?:^:.*\n)*)", re.MULTILINE)
AS_IF_TRANSLATED = {
    "stands": r"\bstand(?:s|ing)? (?:in|on|at|t?here|beside|above|below|before|behind)\b|\bstood\b",
    "bend, bent (for a nonlinearity)": r"\bbends?\b|\bbent\b",
    "mend": r"\bmend(?:s|ed)?\b",
    "blank (for a space)": r"\bblanks?\b(?! line)",
    "gradient by": r"\bgradients? by (?!hand|step|about|a factor|finite|more|less)",
    "shall": r"\bshall\b",
    "go on (for continue)": r"\bgo(?:es)? on\b(?! to )",
    "whoever": r"(?i:\bwhoever\b|\bwho reads\b)",
    "makes X of Y": r"\bmakes? (?!use)(?:\w+ ){1,3}of (?:a|the|it|them|this|these)\b",
    "are no": r"\b(?:is|are) no (?:tokens?|form|words?|sentences?)\b(?! (?:for|in|left|that|to))",
    "a training": r"\b[Aa] training(?= (?:that|which|with|is|has|on|of|takes|goes|[a-z]+ed)\b|[.,;:)])|\btrainings\b",
    "inverted": r"(?:^|\. )(?:Found|Outlined|New|Left|Missing) (?:is|are)\b",
    "spelling": r"\b(?:learnt|icecream|\w*(?:neighbour|behaviour|colour|favour|centre|normalis|generalis)\w*)\b",
    "documents": r"\bdocuments? 00\d|\bour documents\b|\bfive documents\b",
}
EVERYWHERE = {name: pattern for name, pattern in AS_IF_TRANSLATED.items() if name != "documents"}
EVERYWHERE["spelling"] = EVERYWHERE["spelling"].replace("|icecream", "")  # the word of an example
IN_CODE = ("stands", "mend", "blank (for a space)", "shall", "go on (for continue)", "whoever", "inverted")
WORDED = ("{admonition}", "{exercise-", "{solution-", "{container}", "{note}")
RARELY = re.compile(r"\balike\b|\bof (?:its|their|his) own\b|\bbut for\b|\bas such\b")


def source(chapter):
    return (chapters.ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")


def body(chapter):
    """The text of a chapter from its title to its exercises."""
    return source(chapter).partition("\n# ")[2].partition("\n## Exercises")[0]


def prose(text):
    """The text without cells, code and formulas; what is said in boxes stays."""
    kept, fences = list[str](), list[tuple[str, bool]]()
    for line in text.splitlines():
        fence = re.match(r"(`{3,}|:{3,}|\$\$)(.*)$", line)
        if fence and fences and fences[-1][0] == fence[1]:
            fences.pop()
        elif fence:
            fences.append((fence[1], not fence[2].startswith(WORDED)))
        elif not any(closed for _, closed in fences) and not line.startswith(":label:"):
            kept.append(line)
    return re.sub(r"`[^`\n]*`|\$[^$\n]*\$|\{[a-z:]+\}", "·", "\n".join(kept))


def sections(chapter):
    """The heading of each section and what follows it up to the next."""
    parts = re.split(r"^(#{2,3} .*)$", body(chapter), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_opens_with_a_reason(chapter):
    """Two paragraphs or more, without formula and cell (the drawing apart), before the box."""
    opening = body(chapter).partition("```{admonition} In this chapter")[0].partition("\n")[2]
    cells = CELL.findall(opening)
    assert len(cells) <= 1 and all("drawings." in cell for cell in cells)
    assert "$$" not in opening
    assert len([part for part in CELL.sub("", opening).split("\n\n") if len(part.split()) > 20]) >= 2


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_section_begins_with_a_paragraph(chapter):
    for heading, text in sections(chapter):
        first = re.sub(r"^\s*(?:%.*\n|\([\w-]+\)=\n|\s)*", "", text)
        assert re.match(r"[\w*\[{“\"(‘'$`]", first) and not first.startswith(("```", "$$", ":::", "|")), heading
        assert len(first.partition("\n\n")[0].split()) >= 12, heading


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_imports_are_folded(chapter):
    for cell in CELL.findall(body(chapter)):
        lines = [line for line in cell.splitlines() if line and not line.startswith((":", "---", "tags"))]
        if lines and re.match(r"import |from \S+ import ", lines[0]):
            assert HIDDEN.search(cell), lines[0]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_code_of_the_package_is_short_and_has_no_docstring(chapter):
    page = chapters.ROOT / "book" / f"{chapter}.md"
    for match in INCLUDE.finditer(page.read_text(encoding="utf-8")):
        alone = type("Page", (), {"read_text": lambda _, encoding, text=match[0]: text, "parent": page.parent})()
        lines = includes(alone)
        assert 0 < len(lines) <= 15 and '"""' not in "\n".join(lines), match[0]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_long_section_stops_to_think(chapter):
    parts = re.split(r"^## (.*)$", body(chapter), flags=re.MULTILINE)
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        text = CELL.sub(
            lambda cell: "" if HIDDEN.search(cell[1]) else cell[0], text.partition("{admonition} Take away")[0]
        )
        if len(text.splitlines()) > 60:
            assert "Stop and think" in text and ":class: dropdown" in text, heading


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_sentence_reads_as_translated(chapter):
    text = prose(source(chapter).partition("\n# ")[2])
    found = {kind: [match[0] for match in re.finditer(rule, text)] for kind, rule in AS_IF_TRANSLATED.items()}
    assert {kind: words for kind, words in found.items() if words} == {}
    assert len(RARELY.findall(text)) <= 3, RARELY.findall(text)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_headings_are_terms_of_the_field(chapter):
    headings = [page_directives.title(chapter), *re.findall(r"^## (.*)$", body(chapter), re.MULTILINE)]
    assert [heading for heading in headings if heading.endswith("?") and ": " not in heading] == []


@pytest.mark.parametrize("chapter", PATH)
def test_a_chapter_of_the_path_closes_with_our_model(chapter):
    assert [heading for heading, _ in sections(chapter) if heading.startswith("## ")][-1].startswith("## Our model now")


def test_the_path_takes_the_time_it_says():
    reading = [page_directives.minutes(chapter)[0] for chapter in PATH]
    assert max(reading) <= 60
    assert sum(reading[: PATH.index("attention") + 1]) <= 180
    assert sum(reading) <= 480


def terms():
    """Each term of the glossary with the chapter that defines it."""
    entries = re.findall(
        r"^(\S.*)\n  .*See (?:\[\]\((\w+)\.md\)|.*\[\]\((\w+)\.md\))", source("glossary"), re.MULTILINE
    )
    return {term: page or other for term, page, other in entries}


# Words that mean other things as well: they count in the chapters where they mean the term.
COMMON = {"block", "mask", "query", "key", "value", "head", "loss", "beam", "layer", "batch", "token", "gradient"}


@pytest.mark.parametrize("term", [term for term, page in terms().items() if page in PATH and term not in COMMON])
def test_a_term_is_defined_before_it_is_used(term):
    """A sentence that links to the chapter of a term announces it, and does not use it."""
    word = re.compile(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", re.IGNORECASE)
    page = terms()[term]
    for chapter in PATH[: PATH.index(page)]:
        lines = prose(body(chapter)).splitlines()
        used = [line for line in lines if word.search(line) and f"{page}.md" not in line and "#" not in line]
        assert used == [], f"{term} is defined in {page} and used in {chapter}"


def test_the_book_has_as_many_assertions_as_it_says():
    assertion = re.compile(r"^\s*(?:assert |.*\bassert_(?:allclose|close|equal)\()", re.MULTILINE)
    said = re.search(r"more than ([\d,]+) of them", source("checked"))[1]
    assert sum(len(assertion.findall(source(chapter))) for chapter in CHAPTERS) > int(said.replace(",", ""))


@pytest.mark.parametrize("page", [page for page in chapters.pages() if page.stem not in CHAPTERS], ids=lambda p: p.stem)
def test_the_other_pages_are_in_plain_english(page):
    text = prose(page.read_text(encoding="utf-8")).replace("gradients by depth", "")
    phrases = {name: re.findall(pattern, text) for name, pattern in EVERYWHERE.items()}
    assert {name: found for name, found in phrases.items() if found} == {}


@pytest.mark.parametrize("folder", ["clearformer", "linebyline"])
def test_docstrings_and_messages_are_in_plain_english(folder):
    found = []
    for file in sorted((chapters.ROOT / "src" / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "datum" not in node.value:
                for pattern in map(EVERYWHERE.get, IN_CODE):
                    found += [(file.name, node.lineno, match[0]) for match in re.finditer(pattern, node.value)]
    assert found == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_what_the_repository_says_of_itself_is_in_plain_english(name):
    text = (chapters.ROOT / name).read_text(encoding="utf-8")
    assert {
        phrase: re.findall(pattern, text) for phrase, pattern in EVERYWHERE.items() if re.search(pattern, text)
    } == {}
