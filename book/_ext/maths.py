"""Starts the maths renderer of sphinxcontrib-katex so that a busy machine cannot break or hang a build."""

import os
import signal
import socket
import sys
import time
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from sphinxcontrib import katex

START_SECONDS = 60.0
RENDER_SECONDS = 60.0


def start_server(cls: type[Any], rundir: Path, timeout: float) -> tuple[Popen[bytes], socket.socket]:
    """Start the renderer and connect to it as soon as it listens.

    The original connects when the socket's file exists, a moment too soon: the connection is then refused, the
    build fails, and the renderer outlives it.
    """
    address = rundir / "katex.sock"
    process = Popen(cls.build_command(socket=address), stdin=PIPE, stdout=PIPE, cwd=rundir)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.connect(str(address))
            if parent_process() is not None:  # it ends without the goodbyes of the first process
                Finalize(None, lambda: cls.get().terminate(), exitpriority=1)
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise cls.timeout_error(timeout) from None
            time.sleep(0.005)


def forget_server() -> None:
    """Let a process that writes some of the pages start a renderer of its own, and end it when told to end."""
    katex.KaTeXServer.katex_server = None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def setup(app: Any) -> dict[str, bool]:
    """Put the start above in the place of the original, and give slow machines time."""
    katex.KaTeXServer.start_server_process = classmethod(start_server)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget_server)
    katex.STARTUP_TIMEOUT = START_SECONDS
    katex.RENDER_TIMEOUT = RENDER_SECONDS
    return {"parallel_read_safe": True, "parallel_write_safe": True}
