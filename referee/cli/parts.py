"""
What several commands share that call a referee or read a file.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import unicodedata
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from referee import client
from referee.client import Tls
from referee.errors import ConfigError, RemoteError
from referee.escaping import escaped
from tournaments.names import is_address, is_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from referee.office import Admission

ADDRESS = "127.0.0.1:50117"
"""Where a referee is looked for unless somebody says otherwise."""


def add_remote(parser: argparse.ArgumentParser) -> None:
    """
    Add the options of a command that calls a referee.
    """
    parser.add_argument(
        "--address", default=ADDRESS, type=_address, metavar="HOST:PORT", help=f"default {ADDRESS}"
    )
    parser.add_argument("--tls", action="store_true", help="the referee must prove who it is")
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="by a certificate that this one has signed (PEM)"
    )
    parser.add_argument(
        "--client-cert", type=Path, metavar="FILE", help="and this is ours, if it asks for one"
    )
    parser.add_argument("--client-key", type=Path, metavar="FILE", help="its key")


def _address(text: str) -> str:
    """
    Return an address; gRPC would take a wrong one for another, and call that.
    """
    if not text.startswith("unix:") and not is_address(text):
        raise argparse.ArgumentTypeError(
            f"must be HOST:PORT, as in {ADDRESS} or [::1]:50117, not {text!r}"
        )
    return text


def tls_of(options: argparse.Namespace) -> Tls | None:
    """
    Return how to call a referee, as `add_remote` has read it; None: in the clear.
    """
    files = (options.ca, options.client_cert, options.client_key)
    if not options.tls and files == (None, None, None):
        return None
    return Tls(ca=options.ca, certificate=options.client_cert, key=options.client_key)


def file_of(admission: Admission) -> Path:
    """
    Return the file for the token of a bot that was entered.

    Whoever answers is foreign: what it calls the bot must not choose where we write.
    """
    return Path(f"{admission.bot_id if is_id(admission.bot_id) else 'bot'}.token")


def namesakes(address: str, bot_id: str, tls: Tls | None, advice: str = "") -> str:
    """
    Return a line that says who else in a league is called like a bot, or nothing.

    Names are not keys, so that is allowed; but it may be the same bot, entered twice.

    Args:
        address: Where the referee of the league is.
        bot_id: The bot.
        tls: How to call it.
        advice: What else its author may have wanted.
    """
    try:
        bots = asyncio.run(client.list_bots(address, tls=tls))
    except RemoteError:
        return ""  # it is entered all the same
    called = {bot.bot_id: _alike(bot.name) for bot in bots if not bot.revoked}
    mine = called.pop(bot_id, None)
    others = [other for other, name in called.items() if name == mine]
    if not others:
        return ""
    return (
        f"Another bot is called so: {escaped(', '.join(others))}. Both play; if one is too many, "
        f"`referee bots revoke ID` takes it out.{advice}\n"
    )


def _alike(name: str) -> str:
    """
    Return what is the same of names that people take for the same.
    """
    return unicodedata.normalize("NFKC", name).casefold()


def keep_token(path: Path, token: str) -> Path:
    """
    Write a token where only our user can read it; return where that is.

    A file that is there is left alone, and a number is put into the name.
    """
    place, number = path, 1
    while True:
        try:
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            number += 1
            place = path.with_name(f"{path.stem}-{number}{path.suffix}")
            continue
        except OSError as error:
            # It cannot be asked for again, so it must not be lost.
            sys.stderr.write(f"referee: cannot write {place}: {error.strerror}\n")
            sys.stdout.write(f"{token}\n")
            raise ConfigError("cannot be written", path=str(place), key="--output") from None
        with os.fdopen(handle, "w") as file:
            file.write(token + "\n")
        return place


def shown_token(path: Path) -> str:
    """
    Return the token that a file holds, to be shown to a referee.

    Raises:
        ConfigError: It cannot be read, or holds none.
    """
    try:
        token = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            path=str(path),
            key="--token-file",
            hint="a file with the bot's token or the operator's",
        ) from None
    if not (token.isascii() and token.isprintable() and token) or len(token.split()) != 1:
        raise ConfigError("holds no token", path=str(path), key="--token-file")
    return token


@contextmanager
def opened(path: str) -> Iterator[TextIO]:
    """
    Open a file of UTF-8, or standard input for `-`.
    """
    if path == "-":
        # What stands in a file must mean the same when it is piped.
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8")
        source: AbstractContextManager[TextIO] = nullcontext(sys.stdin)
    else:
        try:
            source = Path(path).open(encoding="utf-8")  # noqa: SIM115  (entered below)
        except OSError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=path) from None
    with source as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise ConfigError(f"is not UTF-8: {error.reason}", path=path) from None
        except IsADirectoryError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=path) from None
