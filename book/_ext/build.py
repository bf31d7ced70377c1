"""Builds the book in one of three editions from one source: reader, student (no solutions), instructor."""

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import chapters
import execution
import slides
import yaml
from chapters import ROOT
from sphinx.util.osutil import FileAvoidWrite

LIBRARIES = ["vega/build/vega.min.js", "katex/dist/katex.min.css", "katex/dist/fonts"]
LIBRARIES += ["reveal.js/dist/reveal.css", "reveal.js/dist/reveal.js"]


def build(edition: str = "reader") -> int:
    """Run the chapters that changed, then build the pages that changed; return the exit code."""
    root = ROOT if edition == "reader" else copy_source(edition)
    target = root / "_build"
    if failed := execution.run_missing(root):
        print(f"Chapters that failed: {', '.join(failed)}")
        return 1
    code = sphinx(root, "html", *_what_to_redo(target))
    if code:
        return code
    if edition == "instructor":
        slides.write_all(target / "html")  # the page for instructors leads to them
    print(f"The book: {target / 'html' / 'index.html'}")
    return 0


def sphinx(root: Path, builder: str, *options: str) -> int:
    """Run Sphinx on a book; a warning is an error."""
    copy_web_files(root / "_build" / "web")
    configuration = root / "conf.py"
    sources = [root / "_config.yml", root / "_toc.yml"]
    if not configuration.exists() or configuration.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        subprocess.run(["jupyter-book", "config", "sphinx", root], stdout=subprocess.DEVNULL, check=True)
    folders = ["-d", root / "_build" / "doctrees", root, root / "_build" / builder]
    shared = f"nb_execution_cache_path={execution.CACHE}"
    command = [sys.executable, "-m", "sphinx", "-b", builder, "-j", "auto", "-qnW", "--keep-going", "-D", shared]
    return subprocess.run([*command, *options, *folders], cwd=root).returncode


def _what_to_redo(target: Path) -> list[str]:
    """Sphinx sees what changed in the pages; forget what other code made of them, and write all with another style."""
    mark = target / "made-by.json"
    made_by = json.loads(mark.read_text()) if mark.exists() else {}
    makers = [*Path(__file__).parent.glob("*.*"), *(ROOT / "book" / "_templates").iterdir(), ROOT / "package-lock.json"]
    written = [*(ROOT / "book" / "_static").rglob("*"), ROOT / "book" / "glossary.md", ROOT / "_toc.yml"]
    now = {
        "read": execution.made_of() + execution.digest(makers),
        "written": execution.digest(written),
    }
    if now["read"] != made_by.get("read"):
        shutil.rmtree(target / "doctrees", ignore_errors=True)
    mark.write_text(json.dumps(now))
    return ["-a"] if now["written"] != made_by.get("written") else []


def copy_web_files(target: Path) -> None:
    """Put the web libraries where pages load them from: outside _static, whose scripts go on every page."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "book" / "_web", target)
    for name in LIBRARIES:
        source, place = ROOT / "node_modules" / name, target / "libs" / name.split("/")[0].removesuffix(".js")
        place.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, place / source.name)


def copy_source(edition: str) -> Path:
    """Copy the book for another edition: without any answer, or solutions open and an instructor's page added."""
    root = chapters.folder(edition)
    (root / "book").mkdir(parents=True, exist_ok=True)
    (root / "_build").mkdir(exist_ok=True)
    for name in ("_config.yml", "references.bib", "src", "node_modules", "examples", "book/_ext", "book/_static"):
        with suppress(FileExistsError):  # of an earlier build
            (root / name).symlink_to(ROOT / name)
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    teaching = next(part for part in contents["parts"] if part["caption"] == chapters.TEACHING)
    if edition == "student":
        contents["parts"].remove(teaching)
    else:
        teaching["chapters"].append({"file": "book/instructor"})
    # Sphinx reads again what was written again.
    with FileAvoidWrite(root / "_toc.yml") as file:
        file.write(yaml.safe_dump(contents, sort_keys=False))
    pages = chapters.pages(root)
    for stale in {*(root / "book").glob("*.md")} - {*pages}:
        stale.unlink()
    for page in pages:
        text = (ROOT / "book" / page.name).read_text(encoding="utf-8")
        text = chapters.without_answers(text) if edition == "student" else text.replace(":class: dropdown\n", "")
        with FileAvoidWrite(page) as file:
            file.write(text)
    return root
