"""Runs the chapters before the book is built, several at a time, and puts them where the build looks for them."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import chapters
import nbformat
import warm
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import single_nb_execution

WORKERS = min(4, os.cpu_count() or 1)


@contextmanager
def cache_of(root: Path) -> Iterator[JupyterCacheAbstract]:
    """The cache of a book's outputs, made on the spot: several processes that make it get into each other's way."""
    cache = get_cache(root / "_build" / ".jupyter_cache")
    engine = cache.db
    try:
        yield cache
    finally:
        engine.dispose()


def keep(cache: JupyterCacheAbstract, notebook: nbformat.NotebookNode, source: Path, seconds: float) -> None:
    """Put a chapter that ran in the cache, where the build finds it by its code."""
    bundle = CacheBundleIn(notebook, str(source), data={"execution_seconds": seconds})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def run_missing(root: Path) -> None:
    """Run the chapters of a book that are not in its cache: first those that can share the machine, then the others.

    A chapter that fails is left to the build, which says where.
    """
    with cache_of(root) as cache:
        for sources, workers in zip(chapters.apart(root), (WORKERS, 1), strict=True):
            missing = [source for source in sources if not _is_kept(cache, source)]
            with ProcessPoolExecutor(workers, get_context("spawn"), warm.use) as pool:
                for source, (notebook, seconds) in zip(missing, pool.map(_executed, missing), strict=True):
                    if seconds is not None:
                        keep(cache, notebook, source, seconds)
                        print(f"{seconds:7.1f} s  {source.stem}", flush=True)


def _executed(source: Path) -> tuple[nbformat.NotebookNode, float | None]:
    """Run a chapter; there is no time if it failed."""
    notebook = chapters.notebook(source)
    result = single_nb_execution(notebook, str(source.parent), timeout=120, allow_errors=False)
    return notebook, result.time if result.err is None else None


def _is_kept(cache: JupyterCacheAbstract, source: Path) -> bool:
    try:
        cache.match_cache_notebook(chapters.notebook(source))
    except KeyError:
        return False
    return True
