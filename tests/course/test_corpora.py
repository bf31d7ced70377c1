"""The corpora are there on every machine, the same each time."""

import pytest

from clearformer.course.corpora import pydoc_topics, split, standard_library_source


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


def test_split_leaves_out_only_what_training_has() -> None:
    text = pydoc_topics()
    train, validation = split(text)
    assert text.startswith(train)
    assert train.endswith("\n\n")
    known = {paragraph.strip() for paragraph in train.split("\n\n")}
    rest = [paragraph.strip() for paragraph in text[len(train) :].split("\n\n")]
    kept = [paragraph.strip() for paragraph in validation.split("\n\n")]
    assert kept == [paragraph for paragraph in rest if paragraph not in known]
    assert 0.05 < len(validation) / len(text) < 0.12


def test_split_refuses() -> None:
    with pytest.raises(ValueError, match=r"share=1\.0 must lie between 0 and 1"):
        split("a\n\nb", 1.0)
    with pytest.raises(ValueError, match="a text of 3 characters has no empty line to cut at before its last 10%"):
        split("a b")
    with pytest.raises(ValueError, match="the last 50% of 8 characters hold no paragraph that stands there only"):
        split("a\n\na\n\na\n", 0.5)
    with pytest.raises(ValueError, match="the last 10% of 6 characters hold no paragraph that stands there only"):
        split("a\n\nb\n\n", 0.1)
