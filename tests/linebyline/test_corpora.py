"""The texts that come with Python are there on every machine, the same each time."""

import pytest

from linebyline.corpora import pydoc_topics, standard_library_source


def test_pydoc_topics_are_half_a_megabyte_of_english() -> None:
    text = pydoc_topics()
    assert 400_000 < len(text) < 1_500_000
    assert text == pydoc_topics()
    assert "statement" in text


def test_source_has_the_size_asked_for() -> None:
    for size in (0, 1, 1_000, 100_000):
        assert len(standard_library_source(size).encode()) == size
    assert len(standard_library_source(10_000_000).encode()) >= 9_999_990


def test_a_shorter_source_is_the_beginning_of_a_longer_one() -> None:
    assert standard_library_source(100_000).startswith(standard_library_source(50_000))
    assert standard_library_source(50_000) == standard_library_source(50_000)


def test_tests_and_installed_packages_are_left_out() -> None:
    text = standard_library_source(10_000_000)
    assert "class PureWindowsPath" in text
    assert "import pytest" not in text


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="max_bytes=-1"):
        standard_library_source(-1)
