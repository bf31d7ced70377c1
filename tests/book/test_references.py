"""What docstrings name as their source stands in the bibliography."""

import re
from pathlib import Path

import pytest

from tests.sources import sources

ROOT = Path(__file__).parents[2]
KNOWN = set(re.findall(r"^@\w+\{([a-z]+\d{4})", (ROOT / "references.bib").read_text(encoding="utf-8"), re.MULTILINE))


def test_a_source_is_read_as_its_first_author_and_year():
    text = '\n    Source: Press and Wolf (2017), section 2; Ba et\n    al. (2016).\n    """ Nobody (1900)'
    assert sources(text) == {"press2017", "ba2016"}


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.stem)
def test_every_source_is_in_the_bibliography(path):
    assert sources(path.read_text(encoding="utf-8")) <= KNOWN
