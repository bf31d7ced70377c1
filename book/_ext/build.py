"""Builds the book in one of three editions from one source: reader, student (no solutions), instructor."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import chapters
import execution
import slides
import yaml
from chapters import ROOT

LIBRARIES = ["vega/build/vega.min.js", "katex/dist/katex.min.css", "katex/dist/fonts"]
LIBRARIES += ["reveal.js/dist/reveal.css", "reveal.js/dist/reveal.js"]


def folder(edition: str) -> Path:
    """The folder of an edition's source; its pages are in `_build/html` below it."""
    return ROOT if edition == "reader" else ROOT / "_build" / edition


def build(edition: str = "reader") -> int:
    """Run the chapters that changed, then build the pages that changed; return the exit code."""
    root = folder(edition) if edition == "reader" else copy_source(edition)
    target = root / "_build"
    if failed := execution.run_missing(root):
        print(f"Chapters that failed: {', '.join(failed)}")
        return 1
    copy_web_files(target / "web")
    code = sphinx(root, "html", *_what_to_redo(target))
    if code:
        return code
    if edition == "instructor":
        slides.write_all(target / "html")  # the page for instructors leads to them
    print(f"The book: {target / 'html' / 'index.html'}")
    return 0


def sphinx(root: Path, builder: str, *options: str) -> int:
    """Run Sphinx on a book; a warning is an error."""
    configuration = root / "conf.py"
    sources = [root / "_config.yml", root / "_toc.yml"]
    if not configuration.exists() or configuration.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        subprocess.run(["jupyter-book", "config", "sphinx", root], stdout=subprocess.DEVNULL, check=True)
    folders = ["-d", root / "_build" / "doctrees", root, root / "_build" / builder]
    shared = f"nb_execution_cache_path={execution.CACHE}"
    command = [sys.executable, "-m", "sphinx", "-b", builder, "-j", "auto", "-qnW", "--keep-going", "-D", shared]
    return subprocess.run([*command, *options, *folders], cwd=root).returncode


def check_links() -> int:
    """Ask every address that the book links to whether it still answers."""
    copy_web_files(ROOT / "_build" / "web")
    return sphinx(ROOT, "linkcheck")


def _what_to_redo(target: Path) -> list[str]:
    """Sphinx sees what changed in the pages; forget what other code made of them, and write all with another style."""
    mark = target / "made-by.json"
    made_by = json.loads(mark.read_text()) if mark.exists() else {}
    makers = [*Path(__file__).parent.glob("*.*"), *(ROOT / "book" / "_templates").iterdir(), ROOT / "package-lock.json"]
    now = {
        "read": execution.digest() + digest(makers),
        "written": digest([*(ROOT / "book" / "_static").rglob("*"), ROOT / "book" / "glossary.md", ROOT / "_toc.yml"]),
    }
    if now["read"] != made_by.get("read"):
        shutil.rmtree(target / "doctrees", ignore_errors=True)
    mark.write_text(json.dumps(now))
    return ["-a"] if now["written"] != made_by.get("written") else []


def digest(paths: Iterable[Path]) -> str:
    """A hash of files."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths) if path.is_file())).hexdigest()


def copy_web_files(target: Path) -> None:
    """Put the web libraries where pages load them from: outside _static, whose scripts go on every page."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "book" / "_web", target)
    for name in LIBRARIES:
        source, place = ROOT / "node_modules" / name, target / "libs" / name.split("/")[0].removesuffix(".js")
        place.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place / source.name)
        else:
            shutil.copy(source, place)


def copy_source(edition: str) -> Path:
    """Copy the book for another edition: without any answer, or solutions open and an instructor's page added."""
    root = folder(edition)
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
    _write_changed(root / "_toc.yml", yaml.safe_dump(contents, sort_keys=False))
    pages = chapters.pages(root)
    for stale in {*(root / "book").glob("*.md")} - {*pages}:
        stale.unlink()
    for page in pages:
        text = (ROOT / "book" / page.name).read_text(encoding="utf-8")
        opened = text.replace(":class: dropdown\n", "")
        _write_changed(page, chapters.without_answers(text) if edition == "student" else opened)
    return root


def _write_changed(path: Path, text: str) -> None:
    """Write a file only if its text is new, for Sphinx reads again what was written again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
