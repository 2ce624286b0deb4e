"""
What a server proves its name with, and whether the files that hold it will do.

gRPC notices nothing before a client comes, and then tells the client only. So
everything is tried here first, by Python's own TLS.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import grpc

from referee.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tls:
    """
    Certificates and key of a server, in PEM.
    """

    certificate: bytes
    """Its chain, its own first."""
    key: bytes
    client_ca: bytes | None = None
    """Whose signature clients must show; None: they need none."""

    def credentials(self) -> grpc.ServerCredentials:
        """
        Return what gRPC wants.
        """
        return grpc.ssl_server_credentials(
            [(self.key, self.certificate)],
            root_certificates=self.client_ca,
            require_client_auth=self.client_ca is not None,
        )


def load_tls(certificate: Path, key: Path, client_ca: Path | None = None) -> Tls:
    """
    Read the files of a server.

    Raises:
        ConfigError: One is missing, cannot be read or is not what it should be, or they do not
            belong together; names the file, and its key in a `[tls]` table.
    """
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
    return Tls(content["certificate"], content["key"], content.get("client_ca"))


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
