"""A second build does nothing unless something changed, and a failed build is not taken for a good one."""

import build
import pytest


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The options of each run of Sphinx; ``makers`` and ``code`` are what the next build finds."""
    found = {"makers": {"code": "1", "read": "1", "written": "1", "pages": "1"}, "code": 0, "options": []}
    (tmp_path / "_build" / "html").mkdir(parents=True)

    def sphinx(root, builder, *options):
        found["options"].append(options)
        (tmp_path / "_build" / "doctrees").mkdir(exist_ok=True)
        return found["code"]

    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "sphinx", sphinx)
    monkeypatch.setattr(build, "_makers", lambda: dict(found["makers"]))
    monkeypatch.setattr(build.execution, "run_missing", lambda root: [])
    return found


def test_a_build_without_changes_runs_nothing(runs):
    assert build.build() == build.build() == 0
    assert len(runs["options"]) == 1


@pytest.mark.parametrize("what", ["code", "read", "written", "pages"])
def test_every_change_is_built(runs, what):
    build.build()
    runs["makers"][what] = "2"
    read_before = build.ROOT / "_build" / "doctrees" / "mark"
    read_before.touch()
    build.build()
    assert len(runs["options"]) == 2
    assert runs["options"][1] == (("-a",) if what == "written" else ())
    assert read_before.exists() == (what in ("written", "pages"))  # other code, other readers: read all pages again


def test_a_failed_build_is_tried_again(runs):
    runs["code"] = 1
    assert build.build() == 1
    runs["code"] = 0
    assert build.build() == 0
    assert len(runs["options"]) == 2
