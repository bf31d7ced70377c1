"""Builds a book with several processes: Sphinx can, and Jupyter Book has no option that tells it to."""

import functools
import gc
import importlib
import sys
from typing import Any

import jupyter_book.sphinx
from ahead import WORKERS
from jupyter_book.cli.main import main

# Neither says whether pages may be read side by side: one numbers parts in the end, one makes no page of ours.
UNDECLARED = ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex")


def declare(name: str) -> None:
    """Let an extension say that it does not mind."""
    module = importlib.import_module(name)
    setup = module.setup

    def declared(app: Any) -> dict[str, Any]:
        return {**(setup(app) or {}), "parallel_read_safe": True}

    module.setup = declared


if __name__ == "__main__":
    gc.disable()  # trees of pages are large, and walking through them again and again takes two fifths of the build
    if sys.platform == "linux":  # elsewhere copies of a process are not safe, or there are none
        jupyter_book.sphinx.build_sphinx = functools.partial(jupyter_book.sphinx.build_sphinx, jobs=WORKERS)
        for name in UNDECLARED:
            declare(name)
    main()
