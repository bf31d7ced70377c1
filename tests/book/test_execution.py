"""Chapters are executed once for what they are made of; what failed is said and not kept."""

from pathlib import Path

import chapters
import execution
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
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book of three chapters, with a cache of its own."""
    monkeypatch.setattr(execution, "CACHE", tmp_path / "cache")
    (tmp_path / "book").mkdir()
    codes = {"index": "print(6)\nprint(7)", "wrong": "raise ValueError('no such thing')", "timed": "print('on time')"}
    for name, code in codes.items():
        (tmp_path / "book" / f"{name}.md").write_text(PAGE.format(code=code, tags="alone" * (name == "timed")))
    pages = "\n".join(f"      - file: book/{name}" for name in codes if name != "index")
    (tmp_path / "_toc.yml").write_text(f"root: book/index\nparts:\n  - caption: Part\n    chapters:\n{pages}\n")
    return tmp_path


def test_chapters_that_measure_time_run_alone(root: Path) -> None:
    side_by_side, alone = chapters.apart(root)
    assert [page.stem for page in side_by_side] == ["index", "wrong"]
    assert [page.stem for page in alone] == ["timed"]


def test_what_ran_is_kept_and_what_failed_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execution.run_missing(root) == ["wrong"]
    assert "no such thing" in capsys.readouterr().out
    with execution.cache_of_outputs() as cache:
        kept = {Path(record.uri).stem: record.pk for record in cache.list_cache_records()}
        assert kept.keys() == {"index", "timed"}
        assert cache.get_cache_bundle(kept["index"]).nb.cells[0].outputs[0]["text"] == "6\n7\n"
    (root / "book" / "wrong.md").write_text(PAGE.format(code="print('right')", tags=""))
    assert execution.run_missing(root) == []
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["wrong"]  # and no other


def test_other_code_empties_the_cache(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "book" / "wrong.md").write_text("no code")
    execution.run_missing(root)
    monkeypatch.setattr(execution, "made_of", lambda: "other code")
    with execution.cache_of_outputs() as cache:
        assert cache.list_cache_records() == []
