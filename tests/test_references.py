"""What docstrings name as their source stands in the bibliography."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KNOWN = set(re.findall(r"^@\w+\{([a-z]+\d{4})", (ROOT / "references.bib").read_text(encoding="utf-8"), re.MULTILINE))
# "Vaswani et al. (2017)", "Kingma and Ba (2015)", "Ackley, Hinton and Sejnowski (1985)", "Bridle (1990)"
WORK = re.compile(r"([A-Z][\w-]+)(?:(?:, [A-Z][\w-]+)* and [A-Z][\w-]+| et al\.)?,? \((\d{4})\)")


def named(text: str) -> set[str]:
    """The keys of the works in the paragraphs that begin with Source."""
    sources = re.findall(r"^ *Source: (.*?)(?:\n\s*\n|\"\"\")", text, re.MULTILINE | re.DOTALL)
    return {author.lower() + year for source in sources for author, year in WORK.findall(" ".join(source.split()))}


def test_a_source_is_read_as_its_first_author_and_year():
    text = '\n    Source: Press and Wolf (2017), section 2; Ba et\n    al. (2016).\n    """ Nobody (1900)'
    assert named(text) == {"press2017", "ba2016"}


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.stem)
def test_every_source_is_in_the_bibliography(path):
    assert named(path.read_text(encoding="utf-8")) <= KNOWN
