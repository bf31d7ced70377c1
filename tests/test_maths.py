"""The maths renderer of a process that writes some of the pages: its own, and it ends with that process."""

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import maths
import pytest
from sphinxcontrib import katex

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no process is a copy here"
)


@pytest.fixture(scope="module", autouse=True)
def server() -> katex.KaTeXServer:
    """The renderer of the first process, which ends with it."""
    maths.setup(None)
    return katex.KaTeXServer.get()


def write_a_formula(told: Connection, seconds: float) -> None:
    """What a process does that writes a page."""
    html = katex.render_latex(r"\sqrt{d_k}")
    server = katex.KaTeXServer.get()
    told.send((html, server.process.pid, str(server.rundir)))
    time.sleep(seconds)


def copied(seconds: float) -> tuple[multiprocessing.Process, tuple[str, int, str]]:
    told, tell = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=write_a_formula, args=(tell, seconds))
    process.start()
    return process, told.recv()


def runs(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and ") Z " not in status.read_text()


@pytest.mark.parametrize("stopped", [False, True])
def test_the_renderer_of_a_copy_is_its_own_and_ends_with_it(server: katex.KaTeXServer, stopped: bool) -> None:
    before = katex.render_latex(r"\sqrt{d_k}")
    process, (html, pid, folder) = copied(60 if stopped else 0)
    assert html == before and pid != server.process.pid
    if stopped:
        assert runs(pid)
        os.kill(process.pid, signal.SIGTERM)
    process.join(20)
    assert process.exitcode == (1 if stopped else 0)
    assert not runs(pid) and not Path(folder).exists()
    assert katex.render_latex(r"\sqrt{d_k}") == before
