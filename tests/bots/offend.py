"""
A bot that misbehaves: `offend.py ID`, with the ids of `catalogue.py`.

Bare gRPC and the generated messages, since a library would not do such things. Where
its misdeed leaves room for it, it plays like `first.py`. How streams end is said on
standard error: `ended CODE: details`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from euchre.referee.v1 import game_pb2
from euchre.referee.v1 import referee_service_pb2 as pb

sys.path.insert(0, str(Path(__file__).parents[1]))

import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATH = "/euchre.referee.v1.RefereeService/Play"
ADDRESS = os.environ["EUCHRE_REFEREE"]
TOKEN = os.environ["EUCHRE_TOKEN"]
INSTANCE = os.environ["EUCHRE_INSTANCE"]
PATIENCE = 50.0
"""Seconds to wait for others: less than an answer may take."""
FOREVER = 1000.0


def note(text: str) -> None:
    """
    Say something on standard error, in one piece.
    """
    os.write(2, f"{text}\n".encode())


class Stream:
    """
    One stream, on a connection of its own.
    """

    def __init__(self, token: str = TOKEN, options: tuple[tuple[str, int], ...] = ()) -> None:
        # Without its own pool a second channel would share the first one's connection.
        self.channel = grpc.insecure_channel(
            ADDRESS, options=[*options, ("grpc.use_local_subchannel_pool", 1)]
        )
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play = self.channel.stream_stream(PATH, response_deserializer=pb.PlayResponse.FromString)
        requests = iter(self._requests.get, None)
        self.call = play(requests, metadata=(("authorization", f"Bearer {token}"),))

    def say(self, message: pb.PlayRequest | bytes) -> None:
        """
        Send a message, or bytes as they are.
        """
        self._requests.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hello(self, **fields: object) -> Stream:
        """
        Introduce ourselves.
        """
        said = {"protocol": 1, "instance": INSTANCE, "max_asks": 16, **fields}
        self.say(pb.PlayRequest(hello=pb.Hello(**said)))  # type: ignore[arg-type]
        return self

    def half_close(self) -> None:
        """
        Say that nothing more will be said.
        """
        self._requests.put(None)

    def frames(self, *, quiet: bool = False) -> Iterator[pb.PlayResponse]:
        """
        Yield what the referee says, and note how it ends unless *quiet*.
        """
        try:
            for response in self.call:
                yield response
                if response.WhichOneof("kind") == "farewell":
                    return
            code, details = "OK", ""
        except grpc.RpcError as error:
            code, details = error.code().name, error.details()
        if not quiet:
            note(f"ended {code}: {details}")

    def cut(self) -> None:
        """
        Break the connection off.
        """
        self.call.cancel()
        self.channel.close()


def asks_of(response: pb.PlayResponse) -> list[game_pb2.Ask]:
    """
    Return what is asked.
    """
    return list(response.frame.asks)


def first(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Answer as `first.py` does.
    """
    out.ask_id = ask.ask_id
    plain.first(ask, out)
    if ask.HasField("play"):
        out.play = max(ask.play.legal_cards)


def answers(asks: list[game_pb2.Ask]) -> pb.PlayRequest:
    """
    Answer everything as `first.py` does.
    """
    request = pb.PlayRequest(answers=pb.Answers())
    for ask in asks:
        first(ask, request.answers.answers.add())
    return request


def converse(
    stream: Stream,
    respond: Callable[[list[game_pb2.Ask]], pb.PlayRequest | None] = answers,
    hear: Callable[[pb.Tell], None] = lambda tell: None,
) -> None:
    """
    Answer until the stream ends; then end the program, well if that was a farewell.
    """
    kind = None
    for response in stream.frames():
        kind = response.WhichOneof("kind")
        for tell in response.frame.tells:
            hear(tell)
        asks = asks_of(response)
        said = respond(asks) if asks else None
        if said is not None:
            stream.say(said)
    sys.exit(0 if kind == "farewell" else 1)


def once(misdeed: Callable[[Stream], None], *, when: str = "") -> None:
    """
    Do *misdeed* at the first ask, of a kind if *when* says so, and play on.
    """
    stream = Stream().hello()
    done: list[bool] = []

    def respond(asks: list[game_pb2.Ask]) -> pb.PlayRequest | None:
        if not done and (not when or any(ask.HasField(when) for ask in asks)):
            done.append(True)
            misdeed(stream)
        return answers(asks)

    converse(stream, respond)


# --- what is answered --------------------------------------------------------------------


def change_each(change: Callable[[game_pb2.Ask, game_pb2.Answer], None]) -> None:
    """
    Let *change* do something to each answer.
    """

    def respond(asks: list[game_pb2.Ask]) -> pb.PlayRequest:
        request = answers(asks)
        for ask, out in zip(asks, request.answers.answers, strict=True):
            change(ask, out)
        return request

    converse(Stream().hello(), respond)


def renege(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Play a card that is held and may not be played, if there is one.
    """
    wrong = set(ask.view.hand) - set(ask.play.legal_cards)
    if ask.HasField("play") and wrong:
        out.play = min(wrong)


def not_held(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Play a card of somebody else.
    """
    if ask.HasField("play"):
        out.play = min(set(range(1, 25)) - set(ask.view.hand))


def illegal_call(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Bid twelve with six cards.
    """
    if ask.HasField("auction"):
        out.bid = game_pb2.BID_TWELVE


def says_nothing(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Say nothing, in three ways.
    """
    out.Clear()
    out.ask_id = ask.ask_id
    field = {"auction": "bid", "trump": "trump"}.get(ask.WhichOneof("question") or "", "play")
    if ask.ask_id % 3:
        setattr(out, field, 0 if ask.ask_id % 3 == 1 else 99)


def late() -> None:
    """
    Answer once it is told that it has not.
    """
    stream = Stream().hello()
    kept: dict[tuple[int, int], pb.PlayRequest] = {}

    def respond(asks: list[game_pb2.Ask]) -> None:
        kept.update({(ask.game_id, ask.view.seat): answers([ask]) for ask in asks})

    def hear(tell: pb.Tell) -> None:
        ruling = tell.ruling.ruling
        if ruling.code == game_pb2.RULING_CODE_TIMEOUT and tell.ruling.own:
            stream.say(kept.pop((tell.ruling.game_id, ruling.seat)))

    converse(stream, respond, hear)


def never() -> None:
    """
    Read, and say nothing.
    """
    converse(Stream().hello(), lambda asks: None)


def beside(more: Callable[[list[game_pb2.Ask], pb.PlayRequest], None]) -> None:
    """
    Send more than the answers that were asked for.
    """

    def respond(asks: list[game_pb2.Ask]) -> pb.PlayRequest:
        request = answers(asks)
        more(asks, request)
        return request

    converse(Stream().hello(), respond)


def twice(asks: list[game_pb2.Ask], request: pb.PlayRequest) -> None:
    """
    Answer again, with the last legal thing.
    """
    for ask in asks:
        again = request.answers.answers.add(ask_id=ask.ask_id)
        if ask.HasField("play"):
            again.play = min(ask.play.legal_cards)
        elif ask.HasField("auction"):
            again.bid = ask.auction.legal_bids[-1]


def unknown_id(asks: list[game_pb2.Ask], request: pb.PlayRequest) -> None:
    """
    Answer what does not exist.
    """
    for ask_id in (0, -1, -(2**63), 2**62, asks[0].ask_id + 10**6):
        request.answers.answers.add(ask_id=ask_id, play=1)


MINE: set[int] = set()


def others_id(asks: list[game_pb2.Ask], request: pb.PlayRequest) -> None:
    """
    Answer what others were asked: ids are counted up, so they are easily guessed.

    What is ours and older than the newest ask has come to us; so the rest is others'.
    """
    MINE.update(ask.ask_id for ask in asks)
    newest = max(MINE)
    for ask_id in set(range(newest - 5, newest)) - MINE:
        request.answers.answers.add(ask_id=ask_id, bid=game_pb2.BID_PASS)
        request.answers.answers.add(ask_id=ask_id, play=1)


# --- challenges --------------------------------------------------------------------------


def challenges_in_vain(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Challenge the trick before.
    """
    if ask.HasField("play"):
        out.challenges.add(seat=1, trick=1)


CHALLENGED: set[tuple[int, int, int, int]] = set()


def false_challenges(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Challenge every card that opponents have played, once.
    """
    public = ask.view.public_view
    for number, trick in enumerate(public.tricks, 1):
        for seat in trick.seats:
            key = (ask.game_id, public.deal, number, seat)
            if (seat - ask.view.seat) % 2 and key not in CHALLENGED:
                CHALLENGED.add(key)
                out.challenges.add(seat=seat, trick=number)


def void_challenges(ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Challenge what cannot be judged.
    """
    if ask.HasField("play"):
        partner = (ask.view.seat + 1) % 4 + 1
        out.challenges.add(seat=partner, trick=1)
        out.challenges.add(seat=ask.view.seat % 4 + 1, trick=99)


# --- what is sent ------------------------------------------------------------------------


def flood(stream: Stream) -> None:
    """
    Answer a thousand asks at a time that nobody has asked.
    """
    request = pb.PlayRequest(answers=pb.Answers())
    for number in range(1000):
        request.answers.answers.add(ask_id=2**40 + number)
    for _ in range(100):
        stream.say(request)


def leave() -> None:
    """
    Leave, and do nothing more.
    """
    goodbye = pb.PlayRequest(leave=pb.Leave())
    with contextlib.suppress(SystemExit):
        once(lambda stream: stream.say(goodbye), when="play")
    time.sleep(FOREVER)


# --- how it connects ---------------------------------------------------------------------


def half_close() -> None:
    """
    Say hello and nothing more.
    """
    stream = Stream().hello()
    stream.half_close()
    converse(stream)


def stranger() -> None:
    """
    Show a token of nobody.
    """
    converse(Stream("no-token-of-anybody").hello())


def storm() -> None:
    """
    Connect, answer, read one more frame, and break it off; until there is nobody.
    """
    ended = False
    while not ended:
        stream = Stream().hello()
        answered, ended = False, True
        # It may come back when the referee has just begun to close, so its end says nothing.
        for response in stream.frames(quiet=True):
            if answered and response.WhichOneof("kind") == "frame":
                ended = False
                break
            asks = asks_of(response)
            if asks:
                stream.say(answers(asks))
                answered = True
        stream.cut()


def twins() -> None:
    """
    Open a second stream at the first ask, and go on with it.
    """
    older = Stream().hello()
    for response in older.frames():
        if asks_of(response):
            break
    newer = Stream().hello()
    for _ in older.frames():
        pass
    converse(newer)


LOST = Path("careless.token")


def careless(_: Stream) -> None:
    """
    Write the token down.
    """
    whole = LOST.with_suffix(".new")
    whole.write_text(TOKEN)
    whole.rename(LOST)


def thief(_: Stream) -> None:
    """
    Take the careless bot's place for a moment, once it has one.
    """
    patience = time.monotonic() + PATIENCE
    while not LOST.exists() and time.monotonic() < patience:
        time.sleep(0.02)
    stolen = Stream(LOST.read_text()).hello()
    for response in stolen.frames():
        if response.WhichOneof("kind") == "welcome":
            note(f"let in as {response.welcome.name}")
            break
    stolen.cut()


KEPT: list[object] = []
"""What must not be closed."""


def crowd(_: Stream) -> None:
    """
    Dial forty times; play on once the first of those that are refused has said so.
    """
    refused = threading.Event()

    def listen(stream: Stream) -> None:
        for _ in stream.frames():
            pass
        refused.set()

    streams = [Stream() for _ in range(40)]
    KEPT.extend(streams)
    for stream in streams:
        threading.Thread(target=listen, args=(stream,), daemon=True).start()
    # The game must not end before; refusing takes as long as a first message may.
    refused.wait(PATIENCE)


def sockets(_: Stream) -> None:
    """
    Connect a hundred times; say something of another protocol every other time.
    """
    path = ADDRESS.removeprefix("unix:")
    for number in range(100):
        one = socket.socket(socket.AF_UNIX)
        one.connect(path)
        with contextlib.suppress(OSError):
            if number % 2:
                one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" if number % 4 == 1 else bytes(99))
        KEPT.append(one)


# --- what its program does ---------------------------------------------------------------


def crash(_: Stream) -> None:
    """
    End without a word.
    """
    os._exit(7)


def eat(_: Stream) -> None:
    """
    Take memory, and use it: three times what is allowed, and no more than a machine has.
    """
    while len(KEPT) < 150:
        KEPT.append(bytearray(b"x") * (4 << 20))
        # Slowly enough for a warden that gets little of a processor.
        time.sleep(0.02)
    time.sleep(FOREVER)


def immortal() -> None:
    """
    Play to the end, and stay.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(SystemExit):
        converse(Stream().hello())
    time.sleep(FOREVER)


def binary(asks: list[game_pb2.Ask], _: pb.PlayRequest) -> None:
    """
    Print 300 kB of anything for each ask.
    """
    noise = os.urandom(100_000)
    for _ask in asks:
        os.write(1, noise * 3)
        for _time in range(3):
            os.write(2, noise)


def forks(_: Stream) -> None:
    """
    Start daemons that nothing but a SIGKILL ends.
    """
    script = "trap '' TERM INT HUP; (setsid sleep 1000 &) ; setsid sh -c 'sleep 1000; true' &"
    for _time in range(5):
        subprocess.run(["sh", "-c", script], check=True, stdin=subprocess.DEVNULL)


def deaf(_: Stream) -> None:
    """
    Never read again.
    """
    time.sleep(FOREVER)


def frozen(_: Stream) -> None:
    """
    Stop.
    """
    os.kill(os.getpid(), signal.SIGSTOP)


def pings() -> None:
    """
    Ping each second, also when there is nothing to say.
    """
    options = (
        ("grpc.keepalive_time_ms", 1000),
        ("grpc.keepalive_timeout_ms", 5000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    )
    converse(Stream(options=options).hello())


KINDS: dict[str, Callable[[], object]] = {
    "renege": lambda: change_each(renege),
    "not-held": lambda: change_each(not_held),
    "illegal-call": lambda: change_each(illegal_call),
    "says-nothing": lambda: change_each(says_nothing),
    "late": late,
    "never": never,
    "twice": lambda: beside(twice),
    "unknown-id": lambda: beside(unknown_id),
    "others-id": lambda: beside(others_id),
    "challenges-in-vain": lambda: change_each(challenges_in_vain),
    "false-challenges": lambda: change_each(false_challenges),
    "void-challenges": lambda: change_each(void_challenges),
    "unseen-renege": lambda: change_each(renege),
    "garbage": lambda: once(lambda stream: stream.say(b"\xff\xff\xff garbage")),
    "huge": lambda: once(lambda stream: stream.say(b"\x9a\x06\x80\x80\x80\x19" + bytes(50 << 20))),
    "flood": lambda: once(flood),
    "hello-again": lambda: once(Stream.hello),
    "escape": lambda: converse(Stream().hello(software="\x1b[2J\x1b]0;mine\x07")),
    "leave": leave,
    "half-close": half_close,
    "half-close-later": lambda: once(Stream.half_close, when="play"),
    "stranger": stranger,
    "storm": storm,
    "twins": twins,
    "careless": lambda: once(careless),
    "thief": lambda: once(thief),
    "crowd": lambda: once(crowd),
    "sockets": lambda: once(sockets),
    "crash": lambda: once(crash, when="play"),
    "exit": lambda: sys.exit(3),
    "eat": lambda: once(eat),
    "immortal": immortal,
    "binary": lambda: beside(binary),
    "forks": lambda: once(forks),
    "deaf": lambda: once(deaf),
    "frozen": lambda: once(frozen, when="play"),
    "no-hello": lambda: converse(Stream()),
    "pings": pings,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()
