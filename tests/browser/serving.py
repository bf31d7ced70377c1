"""Files of a folder over http, on this machine alone."""

import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without writing a line for each."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class Compressing(Quiet):
    """Serves texts compressed and keeps connections, as the hosts of static pages do."""

    protocol_version = "HTTP/1.1"
    COMPRESSED = (".css", ".html", ".js", ".json", ".svg")

    def do_GET(self) -> None:
        """Send a file."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in self.COMPRESSED or not path.is_file():
            super().do_GET()
            return
        body = _compressed(path)
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@functools.cache
def _compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


@contextmanager
def served(folder: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    """Serve a folder on this machine; gives its address."""
    in_folder = functools.partial(handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), in_folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
