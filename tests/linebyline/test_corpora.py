"""The texts that come with packages: the same everywhere, and a validation part that training does not contain."""

import lzma
import re

import pytest

from linebyline import corpora
from linebyline.corpora.docstrings import KEPT, installed_docstrings, paragraphs_of

SOURCE = '''
"""A module.\r
\r
    Indented more.  \r
"""
x = "a string"
"no docstring"
class A:
    """A class."""
    if x:
        async def f(self):
            """    Of a method,

            in two paragraphs.


            And a third: é.
            """
try:
    add_newdoc("numpy", "array", ("dtype", """
        Handed over.

        In two.
        """))
    add_newdoc("numpy", "sum", [("axis", "One axis"), ("out", f"{x} is no literal")])
except NameError:
    def g():
        "One line."
        def h(): r"""A \\ stays."""
    lambda: "nothing here"
'''


@pytest.fixture(scope="module")
def text() -> str:
    return corpora.docstrings()


@pytest.fixture(scope="module")
def parts() -> tuple[str, str]:
    return corpora.docstrings_split()


def test_literals_are_read_where_python_has_docstrings_and_where_c_has_them() -> None:
    assert paragraphs_of(SOURCE) == [
        "A module.",
        "Indented more.",
        "A class.",
        "Of a method,",
        "in two paragraphs.",
        "And a third: é.",
        "Handed over.",
        "In two.",
        "One axis",
        "One line.",
        "A \\ stays.",
    ]
    assert paragraphs_of(SOURCE.replace("\r", "").replace("\n", "\r\n").encode()) == paragraphs_of(SOURCE)
    assert paragraphs_of("x = 1") == []


def test_the_text_is_what_the_installed_packages_document() -> None:
    kept, installed = lzma.decompress(KEPT.read_bytes()).decode(), installed_docstrings()
    versions = installed.partition("\f")[0]
    assert kept == installed or corpora.docstrings_versions() != versions


def test_six_megabytes_of_whole_paragraphs_each_once(text: str) -> None:
    assert 5e6 < len(text.encode()) < 7e6
    paragraphs = text.removesuffix("\n").split("\n\n")
    assert len(paragraphs) == len(set(paragraphs))
    assert not any(paragraph.startswith("\n") or paragraph.endswith("\n") for paragraph in paragraphs)
    assert "Compute the arithmetic mean along the specified axis." in paragraphs
    assert "Construct an array by repeating A the number of times given by reps." in paragraphs
    assert any("ndarray.flags" in paragraph for paragraph in paragraphs)  # of a type in C


def test_nothing_of_validation_is_known_from_training(text: str, parts: tuple[str, str]) -> None:
    train, validation = parts
    assert 0.02 < len(validation) / len(train) < 0.06
    for part in parts:
        assert set(part.removesuffix("\n").split("\n\n")) < set(text.removesuffix("\n").split("\n\n"))
    words = re.findall(r"\w+", train.lower())
    rows = {" ".join(words[i : i + 8]) for i in range(len(words) - 7)}
    unseen = [re.findall(r"\w+", paragraph.lower()) for paragraph in validation.split("\n\n")]
    assert sum(len(paragraph) >= 8 for paragraph in unseen) > 1000
    for paragraph in unseen:
        assert not any(" ".join(paragraph[i : i + 8]) in rows for i in range(len(paragraph) - 7))


def test_a_larger_fraction_holds_the_files_of_a_smaller_one(parts: tuple[str, str]) -> None:
    smaller, larger = parts, corpora.docstrings_split(0.3)
    assert set(larger[0].split("\n\n")) < set(smaller[0].split("\n\n"))
    assert len(larger[1]) > 3 * len(smaller[1])


def test_a_hash_tells_texts_apart_and_versions_are_named() -> None:
    hashes = {corpora.text_hash(text) for text in ("", "a", "b", "ab", "é", "a\n")}
    assert len(hashes) == 6
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in hashes)
    assert re.fullmatch(r"numpy \d+\.\d+\S*, scipy \d+\.\d+\S*", corpora.docstrings_versions())


# --- the texts that come with Python ---


def test_pydoc_topics_are_half_a_megabyte_of_english() -> None:
    assert 400_000 < len(corpora.pydoc_topics()) < 1_500_000


def test_the_standard_library_has_the_size_asked_for_and_no_tests() -> None:
    for size in (0, 1, 100_000):
        assert len(corpora.standard_library_source(size).encode()) == size
    text = corpora.standard_library_source()
    assert len(text.encode()) >= 9_999_990
    assert text.startswith(corpora.standard_library_source(50_000))
    assert "class PureWindowsPath" in text
    assert "import pytest" not in text
