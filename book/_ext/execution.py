"""Runs chapters: side by side for the book, into the cache MyST-NB reads; compared with a record; or recorded anew."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import chapters
import nbformat
from chapters import ROOT
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

CACHE = ROOT / "_build" / ".jupyter_cache"
WORKERS = min(4, os.cpu_count() or 1)
CELL_SECONDS = 600  # on a busy machine; a chapter takes less than a minute on a free one


def digest(paths: Iterable[Path]) -> str:
    """A hash of files."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths) if path.is_file())).hexdigest()


def made_of() -> str:
    """A hash of everything but its own cells that a chapter's outputs depend on: code, weights, records, versions."""
    files = [path for name in ("src", "benchmarks") for path in (ROOT / name).rglob("*")]
    files = [path for path in files if "__pycache__" not in path.parts and ".egg-info" not in str(path)]
    return digest([*files, ROOT / "requirements.lock"])


@contextmanager
def cache_of_outputs() -> Iterator[JupyterCacheAbstract]:
    """The cache of executed chapters, emptied if other code made it; it finds a chapter by its cells."""
    mark, now = CACHE / "made-by.sha256", made_of()
    stale = not mark.exists() or mark.read_text() != now
    if stale:
        shutil.rmtree(CACHE, ignore_errors=True)
    cache = get_cache(CACHE)
    engine = cache.db
    if stale:  # not always: another process that reads the mark while it is written would empty the cache
        mark.write_text(now)
    try:
        yield cache
    finally:
        engine.dispose()


def keep(cache: JupyterCacheAbstract, notebook: nbformat.NotebookNode, source: Path) -> None:
    """Put a chapter that ran in the cache."""
    cache.cache_notebook_bundle(CacheBundleIn(notebook, str(source)), check_validity=False, overwrite=True)


async def execute(source: Path) -> nbformat.NotebookNode:
    """Run a chapter; return it with its outputs."""
    notebook, start = chapters.notebook(source), time.perf_counter()
    options = {
        "timeout": CELL_SECONDS,
        "resources": {"metadata": {"path": str(source.parent)}},
        "record_timing": False,  # the cache finds a chapter by its cells, with their metadata
        "coalesce_streams": True,  # the kernel may send what is printed in pieces, cut at any moment
        "extra_arguments": ["--log-level=ERROR"],  # or every kernel warns that it speaks TCP
    }
    await NotebookClient(notebook, **options).async_execute()
    print(f"{time.perf_counter() - start:7.1f} s  {source.stem}", flush=True)
    return notebook


def run_missing(root: Path) -> list[str]:
    """Run the chapters of a book that are not in the cache, and return the names of those that failed.

    Several run at a time, and those with a cell that measures time alone after them.
    """
    with cache_of_outputs() as cache:
        groups = zip(chapters.apart(root), (WORKERS, 1), strict=True)
        return [name for sources, workers in groups for name in asyncio.run(_run(sources, workers, cache))]


async def _run(sources: list[Path], workers: int, cache: JupyterCacheAbstract) -> list[str]:
    turns = asyncio.Semaphore(workers)

    async def run(source: Path) -> str | None:
        async with turns:
            with suppress(KeyError):
                cache.match_cache_notebook(chapters.notebook(source))
                return None
            try:
                keep(cache, await execute(source), source)
            except (CellControlSignal, DeadKernelError) as error:
                print(f"{source}: {error}", flush=True)
                return source.stem
        return None

    return [name for name in await asyncio.gather(*map(run, sources)) if name]


def record() -> int:
    """Run every chapter and keep its text outputs as the ones to compare with."""
    targets = {chapters.RECORDS / f"{source.stem}.ipynb": source for source in chapters.executed()}
    for target, source in targets.items():
        chapters.write(chapters.stable(asyncio.run(execute(source))), target)
    for stale in {*chapters.RECORDS.glob("*.ipynb")} - targets.keys():
        stale.unlink()
    return 0


def compare() -> int:
    """Run every chapter and compare each cell's output with the recorded one; the book shows what came out."""
    with cache_of_outputs():  # so it is there before several processes ask for it
        folder = chapters.prepare(ROOT / "_build" / "compare")
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "tests.comparison", "-p", "no:cacheprovider"]
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout", str(CELL_SECONDS)]
    side_by_side = ["-n", str(WORKERS), "--dist", "loadfile"]
    groups = zip(chapters.apart(), (side_by_side, []), strict=True)
    runs = [[*how, *(folder / f"{source.stem}.ipynb" for source in sources)] for sources, how in groups]
    return max(subprocess.run([*pytest, *nbval, *run]).returncode for run in runs)
