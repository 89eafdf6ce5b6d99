"""CURVE for everything over TCP: a key pair for each display's endpoint, and one for whoever may read it."""

from __future__ import annotations

from pathlib import Path

import zmq
import zmq.auth
from zmq.auth.thread import ThreadAuthenticator

from device.bus.endpoints import EndpointError, runtime_dir

Context = zmq.Context[zmq.Socket[bytes]]


class Keys:
    """Certificates in a folder of mode 0700: `NAME/server.key*` and `NAME/readers/NAME.key*`; made when missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = runtime_dir(folder)

    def server(self, display: str) -> tuple[bytes, bytes]:
        """Public and secret key of a display's endpoint."""
        return self._pair(self._folder(display), "server")

    def reader(self, display: str) -> tuple[bytes, bytes]:
        """Public and secret key of whoever may read this display: hand it to that seat alone."""
        return self._pair(self.readers(display), display)

    def readers(self, display: str) -> Path:
        """The folder of the keys that may read this display."""
        return runtime_dir(self._folder(display) / "readers")

    def _folder(self, display: str) -> Path:
        return runtime_dir(self.folder / display)

    @staticmethod
    def _pair(folder: Path, name: str) -> tuple[bytes, bytes]:
        secret = folder / f"{name}.key_secret"
        if not secret.is_file():
            zmq.auth.create_certificates(folder, name)
            secret.chmod(0o600)
        public, private = zmq.auth.load_certificate(secret)
        if private is None:
            raise EndpointError(f"{secret} holds no secret key: delete it, and a new pair is made")
        return public, private


class Gate:
    """Lets in, over TCP, only those who hold the key of the display that they ask for. Close it."""

    def __init__(self, context: Context, keys: Keys) -> None:
        self._context, self.keys = context, keys
        self._zap = ThreadAuthenticator(context)
        self._zap.start()

    def bind(self, display: str, address: str) -> tuple[zmq.Socket[bytes], str]:
        """A publishing socket at a TCP address, and the address that it got. Raises EndpointError."""
        public, secret = self.keys.server(display)
        self.keys.reader(display)
        self._zap.configure_curve(domain=display, location=str(self.keys.readers(display)))
        socket = self._context.socket(zmq.XPUB)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.XPUB_VERBOSE, 1)
        socket.curve_publickey, socket.curve_secretkey = public, secret
        socket.curve_server = True
        socket.zap_domain = display.encode()
        try:
            socket.bind(address)
        except zmq.ZMQError as error:
            socket.close(0)
            raise EndpointError(f"{address} cannot be opened ({error}): choose another address or port") from error
        return socket, socket.getsockopt_string(zmq.LAST_ENDPOINT)

    def close(self) -> None:
        self._zap.stop()


def unlock(socket: zmq.Socket[bytes], keys: Keys, display: str) -> None:
    """Prepares a reader's socket for a display's TCP endpoint, with that seat's key."""
    socket.curve_publickey, socket.curve_secretkey = keys.reader(display)
    socket.curve_serverkey = keys.server(display)[0]
