"""A network camera: pictures by HTTP as cameras send them (multipart/x-mixed-replace)."""

from __future__ import annotations

import base64
import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np

USER = "Basic " + base64.b64encode(b"anna:se@cret").decode()


class StreamServer(http.server.ThreadingHTTPServer):
    """The camera. does: "sends" pictures, "stalls", "ends" each stream. picture: what it shows."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.does = "sends"
        self.picture = np.full((48, 64, 3), 90, np.uint8)

    def handle_error(self, *_: object) -> None:
        """Say nothing: whoever looks may go at any time."""

    def address(self, path: str = "video", user: str = "") -> str:
        return f"http://{user}127.0.0.1:{self.server_port}/{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: StreamServer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Send pictures to whoever may see them."""
        if self.path == "/closed" and self.headers.get("Authorization") != USER:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="camera"')
            self.end_headers()
        elif self.path == "/page":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>the camera's own page</html>")
        elif self.path in ("/video", "/closed"):
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            self._send()
        else:
            self.send_error(404)

    def _send(self) -> None:
        try:
            while self.server.does != "ends":
                if self.server.does == "sends":
                    data = cv2.imencode(".jpg", self.server.picture)[1].tobytes()
                    self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\n")
                    self.wfile.write(b"Content-Length: %d\r\n\r\n%s\r\n" % (len(data), data))
                time.sleep(0.03)
        except OSError:
            return


@contextmanager
def serving(port: int = 0) -> Iterator[StreamServer]:
    """Serve the camera until the context ends."""
    with StreamServer(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.does = "ends"
            server.shutdown()
            thread.join()


def stored(path: Path) -> str:
    """Return what a file of the test holds, and that nobody else can read it."""
    assert path.stat().st_mode & 0o077 == 0
    return path.read_text()
