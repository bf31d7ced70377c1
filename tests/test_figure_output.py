"""Outputs of notebooks: this book's renderer is its own, and other projects keep theirs."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from figure_output import FigureOutput

ROOT = Path(__file__).parents[1]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g><path d="M0 0L9 9"/></g></svg>'


@pytest.fixture
def project(tmp_path):
    """Build a Sphinx project with one notebook, whose only output is a plot without alternative text."""

    def build(extensions, **settings):
        output = nbformat.v4.new_output("display_data", {"image/svg+xml": SVG})
        cell = nbformat.v4.new_code_cell("plot()", execution_count=1, outputs=[output])
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A page"), cell])
        source = tmp_path / "source"
        source.mkdir()
        nbformat.write(notebook, source / "index.ipynb")
        config = {"extensions": extensions, "nb_execution_mode": "off", **settings}
        (source / "conf.py").write_text("\n".join(f"{name} = {value!r}" for name, value in config.items()))
        command = [sys.executable, "-m", "sphinx", "-q", str(source), str(tmp_path / "html")]
        return subprocess.run(command, capture_output=True, text=True), tmp_path / "html"

    return build


def test_another_project_with_the_package_installed_builds_a_plot_without_alternative_text(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    done, html = project(["myst_nb"])
    assert done.returncode == 0, done.stderr
    assert "<img" in (html / "index.html").read_text(encoding="utf-8")


def test_this_book_refuses_a_plot_without_alternative_text(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{ROOT / 'book' / '_ext'}")
    done, _ = project(["myst_nb"])
    assert done.returncode != 0
    assert "write `alt` under `mystnb: image:`" in done.stderr


def test_other_outputs_are_left_to_myst_nb():
    text = SimpleNamespace(mime_type="text/plain", cell_index=0, output_index=0)
    assert FigureOutput.handle_mime(SimpleNamespace(renderer=None), text, False) is None
