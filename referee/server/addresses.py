"""
Where a server listens: what may be listened at, and doing so.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import resource
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ConfigError
from referee.folders import SOCKET_PATH_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc.aio

    from referee.server.tls import Tls

_MOST_CONNECTIONS = 4096
"""To one address; fewer where the system allows few open files."""


def connections_allowed() -> int:
    """
    Return how many connections may be open to one address that is listened at.

    A quarter of the files that this process may open: the others are for the store, for
    starting bots, and for bots that come by another way. Whoever comes then is turned
    away at once, and nobody else is harmed.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = files == resource.RLIM_INFINITY
    return _MOST_CONNECTIONS if unlimited else min(_MOST_CONNECTIONS, max(1, files // 4))


def is_loopback(address: str) -> bool:
    """
    Whether only this machine can reach `host:port`.
    """
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_address(address: str, *, beyond_loopback: bool) -> None:
    """
    Refuse an address that should not be listened at.

    Args:
        address: Where.
        beyond_loopback: Whether it may be reached over a network.

    Raises:
        ConfigError: It is somebody else's, or tokens would not be safe there.
    """
    if address.startswith("unix:"):
        _check_path(address.removeprefix("unix:"))
    elif not beyond_loopback and not is_loopback(address):
        raise ConfigError(
            f"at {address} the tokens of bots would cross the network in the clear",
            hint="name a certificate under [tls] in the file of --config; or listen at 127.0.0.1 "
            "behind a tunnel or a TLS proxy; or write insecure = true there to allow it on purpose",
        )


def check_free(address: str, *, key: str = "") -> None:
    """
    Make sure that an address can be listened at, as far as this moment can tell.

    Args:
        address: `host:port`, or a socket, of which nothing is known before.
        key: What names it, for the error.

    Raises:
        ConfigError: It is taken, or not of this machine.
    """
    if address.startswith("unix:"):
        return
    host, _, port = address.rpartition(":")
    heard, why = False, None
    try:
        places = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise ConfigError(f"cannot listen at {address}: {error.strerror}", key=key) from None
    for family, *_, place in places:
        try:
            with socket.create_server(place[:2], family=family):
                heard = True
        except OSError as error:
            # A name may stand for addresses that only some machines have.
            if why is None or error.errno == errno.EADDRINUSE:
                why = error
    if why is not None and (not heard or why.errno == errno.EADDRINUSE):
        said = os.strerror(why.errno or 0)
        hint = "is another referee running there?" if why.errno == errno.EADDRINUSE else ""
        raise ConfigError(f"cannot listen at {address}: {said}", key=key, hint=hint)


def listen(server: grpc.aio.Server, address: str, tls: Tls | None) -> str:
    """
    Listen at *address*; return it with the real port.

    Args:
        server: Not started yet.
        address: Where.
        tls: How it proves who it is over a network; a unix socket needs no proof.

    Raises:
        ConfigError: It cannot be listened at.
    """
    try:
        if tls is None or address.startswith("unix:"):
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, tls.credentials())
    except RuntimeError as error:
        raise ConfigError(
            f"cannot listen at {address}", hint="is another referee running there?"
        ) from error
    if address.startswith("unix:"):
        # Its folder says who may come here; the programs of a sandbox have another user.
        Path(address.removeprefix("unix:")).chmod(0o666)
        return address
    return f"{address.rpartition(':')[0]}:{port}"


def release(addresses: Sequence[str]) -> None:
    """
    Remove the sockets of a server that never started; gRPC leaves them.
    """
    for address in addresses:
        if address.startswith("unix:"):
            Path(address.removeprefix("unix:")).unlink(missing_ok=True)


def _check_path(path: str) -> None:
    if len(path.encode()) > SOCKET_PATH_LIMIT:
        raise ConfigError(
            f"a socket's path may have {SOCKET_PATH_LIMIT} bytes: {path}",
            hint="choose a shorter folder",
        )
    # gRPC would take the path from whoever listens there, and both would suffer.
    if Path(path).exists():
        raise ConfigError(f"cannot listen at {path}: it exists", hint="use a fresh folder each run")
