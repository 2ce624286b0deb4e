"""
What a server proves its name with, and whether the files that hold it will do.

gRPC notices nothing before a client comes, and then tells the client only. So
everything is tried here first, by Python's own TLS.

Certificates are renewed while a referee runs, every few weeks. gRPC asks before each
connection whether there is a new one; connections that are open stay as they are.
"""

from __future__ import annotations

import contextvars
import ssl
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, cast

import grpc
import structlog

from referee.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LOOK = 10.0
"""Seconds between two looks at the files: anybody may connect as often as he likes."""


@dataclass(frozen=True, slots=True)
class Tls:
    """
    Certificates and key of a server, in PEM.
    """

    certificate: bytes
    """Its chain, its own first."""
    key: bytes
    client_ca: bytes | None
    """Whose signature clients must show; None: they need none."""
    files: tuple[Path, Path, Path | None]
    """Where all of it is from."""
    state: tuple[object, ...]
    """What the files were like before they were read."""

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """
        Return what gRPC wants to know of it.
        """
        return grpc.ssl_server_certificate_configuration(
            [(self.key, self.certificate)], root_certificates=self.client_ca
        )

    def credentials(self) -> grpc.ServerCredentials:
        """
        Return what gRPC listens with; it follows the files when they change.
        """
        return grpc.dynamic_ssl_server_credentials(
            self.configuration(),
            # Its types do not know of the None that its documentation promises.
            cast("Callable[[], grpc.ServerCertificateConfiguration]", _Renewal(self).look),
            require_client_authentication=self.client_ca is not None,
        )


class _Renewal:
    """
    Finds out whether the files of a server were renewed.
    """

    def __init__(self, tls: Tls) -> None:
        self._files = tls.files
        self._used = tls.state
        """What the files were like that are used."""
        self._refused: tuple[object, ...] | None = None
        """What they were like when they would not do."""
        self._next = 0.0
        self._context = contextvars.copy_context()
        """Says what is known of the league, for the log; threads of gRPC know nothing."""
        self._looking = threading.Lock()

    def look(self) -> grpc.ServerCertificateConfiguration | None:
        """
        Return what is new; None if nothing is, or if it will not do.

        Called by gRPC in threads of its own. Whoever connects while another looks does not
        wait for that.
        """
        if not self._looking.acquire(blocking=False):
            return None
        try:
            now = time.monotonic()
            if now < self._next:
                return None
            self._next = now + _LOOK
            return self._context.run(self._renewed)
        finally:
            self._looking.release()

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        state = _state(self._files)
        if state == self._used:
            return None
        log = structlog.get_logger("server")
        try:
            tls = load_tls(*self._files)
        except ConfigError as error:
            # Perhaps one file is there and the other is not yet; the next look will tell.
            if state != self._refused:
                self._refused = state
                log.warning("certificate_not_renewed", why=str(error))
            return None
        if _state(self._files) != tls.state:
            # What was read is perhaps not what was found good; the next look will tell.
            return None
        self._used = tls.state
        log.info("certificate_renewed", file=str(self._files[0]))
        return tls.configuration()


def load_tls(certificate: Path, key: Path, client_ca: Path | None = None) -> Tls:
    """
    Read the files of a server.

    Raises:
        ConfigError: One is missing, cannot be read or is not what it should be, or they do not
            belong together; names the file, and its key in a `[tls]` table.
    """
    state = _state((certificate, key, client_ca))
    files = {"certificate": certificate, "key": key}
    if client_ca is not None:
        files["client_ca"] = client_ca
    content = {name: _read(path, f"tls.{name}") for name, path in files.items()}
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for name in ("certificate", "client_ca"):
        if name in files:
            _check_certificates(content[name], files[name], f"tls.{name}")
    if b"PRIVATE KEY-----" not in content["key"]:
        raise ConfigError("holds no private key in PEM", path=str(key), key="tls.key")
    try:
        context.load_cert_chain(certificate, key, password=_encrypted)
    except _Encrypted:
        raise ConfigError(
            "is encrypted", path=str(key), key="tls.key", hint="openssl pkey -in OLD -out NEW"
        ) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            why = f"does not belong to the certificate {certificate}"
        else:
            why = "cannot be used"
        raise ConfigError(why, path=str(key), key="tls.key") from None
    except OSError as error:  # they are read once more, and may just be replaced
        raise ConfigError(
            f"cannot be read: {error.strerror}", path=str(key), key="tls.key"
        ) from None
    return Tls(
        content["certificate"],
        content["key"],
        content.get("client_ca"),
        files=(certificate, key, client_ca),
        state=state,
    )


def _state(files: tuple[Path | None, ...]) -> tuple[object, ...]:
    """
    Return what tells files from those that take their places, or are written over them.
    """
    found: list[object] = []
    for file in files:
        if file is None:
            continue
        try:
            status = file.stat()
        except OSError as error:
            found.append(error.errno)
        else:
            found.append((status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(found)


class _Encrypted(Exception):  # noqa: N818  (a signal)
    pass


def _encrypted() -> NoReturn:
    raise _Encrypted


def _read(path: Path, key: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=str(path), key=key) from None


def _check_certificates(pem: bytes, path: Path, key: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=pem.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError):
        raise ConfigError("holds no certificate in PEM", path=str(path), key=key) from None
