"""Files of a folder over http, on this machine alone."""

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without writing a line for each."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; gives its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
