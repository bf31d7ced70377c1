"""Chapters that ran before the build: kept where the build finds them, and those that fail left to it."""

from pathlib import Path

import ahead
import chapters
import pytest

PAGE = """---
jupytext: {{text_representation: {{extension: .md, format_name: myst}}}}
kernelspec: {{display_name: Python 3, language: python, name: python3}}
---

```{{code-cell}} ipython3
:tags: [{tags}]
{code}
```
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    (tmp_path / "_build").mkdir()
    codes = {"index": "print(6 * 7)", "wrong": "raise ValueError", "timed": "print('on time')"}
    for name, code in codes.items():
        (tmp_path / "book" / f"{name}.md").write_text(PAGE.format(code=code, tags="alone" * (name == "timed")))
    pages = "\n".join(f"      - file: book/{name}" for name in codes if name != "index")
    (tmp_path / "_toc.yml").write_text(f"root: book/index\nparts:\n  - caption: Part\n    chapters:\n{pages}\n")
    return tmp_path


def test_chapters_that_measure_time_run_alone(root: Path) -> None:
    side_by_side, alone = chapters.apart(root)
    assert [page.stem for page in side_by_side] == ["index", "wrong"]
    assert [page.stem for page in alone] == ["timed"]


def test_every_chapter_of_the_book_is_in_one_group() -> None:
    side_by_side, alone = chapters.apart()
    assert sorted([*side_by_side, *alone]) == sorted(chapters.executed())
    assert {page.stem for page in alone} == {"attention_cost"}


def test_what_ran_is_kept_once_and_what_failed_is_not(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead.warm, "use", int)  # does nothing: these pages import nothing that takes time
    ahead.run_missing(root)
    printed = capsys.readouterr().out.split()
    assert {"index", "timed"} <= set(printed) and "wrong" not in printed
    with ahead.cache_of(root) as cache:
        kept = {Path(record.uri).stem: record.pk for record in cache.list_cache_records()}
        assert kept.keys() == {"index", "timed"}
        assert cache.get_cache_bundle(kept["index"]).nb.cells[0].outputs[0]["text"] == "42\n"
        assert all(record.data["execution_seconds"] > 0 for record in cache.list_cache_records())
    (root / "book" / "wrong.md").write_text(PAGE.format(code="print('mended')", tags=""))
    ahead.run_missing(root)
    assert capsys.readouterr().out.split()[-1] == "wrong"
