"""Builds the book in one of three editions from one source: reader, student (no solutions), instructor."""

import hashlib
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import ahead
import chapters
import slides
import yaml

ROOT = Path(__file__).parents[2]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SHOWN = ("[mystnb]", "WARNING", "ERROR", "Error", "Exception", " s  book/")


def build(edition: str) -> int:
    """Build one edition; print each chapter as it runs, then the index page and the slowest chapters."""
    root = ROOT if edition == "reader" else copy_source(edition)
    target = root / "_build"
    forget_if_changed(root, target)
    copy_web_files(target / "web")
    ahead.run_missing(root)
    log = target / "build.log"
    builder = str(Path(__file__).with_name("side_by_side.py"))
    command = [sys.executable, builder, "build", str(root), "-nW", "--keep-going"]
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=root) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            plain = COLOUR.sub("", line)
            file.write(plain)
            if any(word in plain for word in SHOWN) and "[IPKernelApp]" not in plain:
                print(plain.rstrip(), flush=True)
    if process.returncode:
        print(f"The build failed; the whole log is in {log}")
        return process.returncode
    print(f"The book: {target / 'html' / 'index.html'}")
    if edition == "instructor":
        slides.write_all(target / "html")  # the page for instructors leads to them
    return 0


def forget_if_changed(root: Path, target: Path) -> None:
    """Drop pages and outputs made by other code: the execution cache looks at cells only, not at the package."""
    mark = target / "source.sha256"
    now = digest()
    if mark.exists() and mark.read_text() == now:
        return
    for stale in (".jupyter_cache", ".doctrees", "html", "jupyter_execute"):
        shutil.rmtree(target / stale, ignore_errors=True)
    target.mkdir(exist_ok=True)
    mark.write_text(now)


def digest() -> str:
    """A hash of everything but the chapters that a page depends on."""
    files = ["requirements.lock", "package-lock.json", "_config.yml", "_toc.yml", "references.bib"]
    paths = [ROOT / file for file in files]
    for folder in ("src", "book/_ext", "book/_static", "book/_web", "benchmarks"):
        paths += [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    paths = [path for path in paths if ".egg-info" not in str(path)]
    content = b"".join(str(path.relative_to(ROOT)).encode() + path.read_bytes() for path in sorted(paths))
    return hashlib.sha256(content).hexdigest()


def copy_web_files(folder: Path) -> None:
    """Put the web libraries where pages load them from: outside _static, whose scripts go on every page."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "book" / "_web", folder)
    vega, katex = ROOT / "node_modules" / "vega" / "build", ROOT / "node_modules" / "katex" / "dist"
    (folder / "libs" / "vega").mkdir(parents=True)
    shutil.copy(vega / "vega.min.js", folder / "libs" / "vega")
    shutil.copytree(katex / "fonts", folder / "libs" / "katex" / "fonts")
    shutil.copy(katex / "katex.min.css", folder / "libs" / "katex")
    (folder / "libs" / "reveal").mkdir()
    for name in ("reveal.css", "reveal.js"):
        shutil.copy(ROOT / "node_modules" / "reveal.js" / "dist" / name, folder / "libs" / "reveal")


def copy_source(edition: str) -> Path:
    """Copy the book for another edition: without any answer, or solutions open and an instructor's page added."""
    root = ROOT / "_build" / edition
    shutil.rmtree(root / "book", ignore_errors=True)
    (root / "book").mkdir(parents=True)
    for name in ("_config.yml", "references.bib"):
        shutil.copy(ROOT / name, root)
    for name in ("src", "node_modules", "examples", "book/_ext", "book/_static"):
        with suppress(FileExistsError):  # of an earlier build, whether or not its end is there yet
            (root / name).symlink_to(ROOT / name)
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    teaching = next(part for part in contents["parts"] if part["caption"] == chapters.TEACHING)
    if edition == "student":
        contents["parts"].remove(teaching)
    else:
        teaching["chapters"].append({"file": "book/instructor"})
    (root / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), encoding="utf-8")
    for source in chapters.pages(root):
        text = (ROOT / "book" / source.name).read_text(encoding="utf-8")
        edited = chapters.without_answers(text) if edition == "student" else text.replace(":class: dropdown\n", "")
        (root / "book" / source.name).write_text(edited, encoding="utf-8")
    return root
