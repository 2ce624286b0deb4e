"""
Programs that arrive over gRPC, piece by piece; whatever else comes is refused.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import tournament_service_pb2 as pb

from referee import client
from referee.errors import ConfigError, RemoteError
from referee.office import Admission, Checked, Verdict
from referee.refusals import Reason, Refused
from referee.server import uploading

PATH = "/euchre.referee.v1.TournamentService/UploadBot"
SECRET = "hand of seat 2 = HJ,DJ"  # noqa: S105  (what must not get out)
TOKEN, OLD = "the token", "an old one"
PACKAGE = bytes(range(256)) * 3000
VERDICT = Verdict(
    accepted=True,
    report="built\n\nall well",
    checks=(
        Checked("hello.token", "passed", "It shows its token."),
        Checked("a.b", "skipped", "c"),
    ),
    admission=Admission("bot-7", "the token"),
)
REFUSED = Verdict(accepted=False, report="no", checks=(Checked("a.b", "failed", "c", "came"),))


class FakeOffice:
    """
    An office that takes in programs, and does with them what the test wants.
    """

    upload_limit = 1 << 20

    def __init__(self) -> None:
        self.taken: list[tuple[bytes, str, str]] = []
        self.verdict = VERDICT
        self.error: Exception | None = None
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def check_upload(self, invitation: str, token: str) -> None:
        """
        Let everybody in but two.
        """
        if token == OLD:
            raise Refused(Reason.TOKEN_UNKNOWN)
        if invitation == "wrong":
            raise Refused(Reason.INVITATION_UNKNOWN)

    async def upload(self, package: bytes, invitation: str, token: str) -> Verdict:
        """
        Take it in.
        """
        self.taken.append((package, invitation, token))
        await self.may_go_on.wait()
        if self.error is not None:
            raise self.error
        return self.verdict


def header(**changes):
    """
    Return a header of the package, right except for *changes*.
    """
    said = {"size": len(PACKAGE), "sha256": hashlib.sha256(PACKAGE).hexdigest()}
    return pb.UploadBotRequest(header=pb.UploadHeader(**said | changes)).SerializeToString()


def piece(content):
    """
    Return a message with a piece.
    """
    return pb.UploadBotRequest(piece=content).SerializeToString()


PIECES = [piece(PACKAGE[start : start + 100_000]) for start in range(0, len(PACKAGE), 100_000)]


async def send(address, *messages, end=True):
    """
    Send messages as they are; return the status that comes of it.
    """
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.stream_unary(PATH)()
        for message in messages:
            try:
                await call.write(message)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                break
        if end:
            await call.done_writing()
        async with asyncio.timeout(60):
            return await call.code(), await call.details()


def test_a_package_arrives_as_it_was(kit):
    """
    Also in many pieces, with the invitation; and the verdict comes back.
    """
    office = FakeOffice()

    async def scenario(rig):
        assert VERDICT == await client.upload(rig.address, PACKAGE, "welcome")
        assert [(PACKAGE, "welcome", "")] == office.taken
        office.verdict = REFUSED
        assert REFUSED == await client.upload(rig.address, PACKAGE)

    kit.run(scenario, office=office)


def test_a_new_version_comes_with_the_token_of_its_bot(kit):
    """
    Which is asked about before anything is sent, and once more when all is there.
    """
    office = FakeOffice()
    office.verdict = dataclasses.replace(
        VERDICT, admission=Admission("bot-7", ""), from_next_run=True
    )

    async def scenario(rig):
        assert office.verdict == await client.upload(rig.address, PACKAGE, token=TOKEN)
        assert [(PACKAGE, "", TOKEN)] == office.taken
        with pytest.raises(RemoteError, match="the token is nobody's"):
            await client.upload(rig.address, PACKAGE, token=OLD)
        assert 1 == len(office.taken)

    kit.run(scenario, office=office)


WRONG = {
    "nothing": ([], "the header must come first"),
    "a piece first": ([piece(b"x")], "the header must come first"),
    "two headers": ([header(), header()], "the header came twice"),
    "neither": ([pb.UploadBotRequest().SerializeToString()], "the header must come first"),
    "too large": ([header(size=(1 << 20) + 1)], "size: must be from 1 to 1048576 bytes"),
    "no size": ([header(size=0)], "size: must be"),
    "a negative size": ([header(size=-1)], "size: must be"),
    "no hash": ([header(sha256="")], "sha256: must be 64"),
    "another hash": ([header(sha256="0" * 64), *PIECES], "another hash"),
    "too little": ([header(), PIECES[0]], "only 100000 of the 768000 bytes"),
    "too much": ([header(), *PIECES, piece(b"x")], "more came than"),
    "an empty piece": ([header(), piece(b"")], "must have 1 to"),
    "a large piece": ([header(), piece(bytes(300_000))], "must have 1 to"),
    "garbage": ([b"\xff\xff\xff garbage"], "a message that cannot be parsed"),
    "garbage in between": ([header(), b"\xff\xff\xff garbage"], "a message that cannot be parsed"),
}


@pytest.mark.parametrize(("messages", "why"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refused_with_the_reason(kit, messages, why):
    """
    Nothing of it reaches the league, and the next upload is served.
    """
    office = FakeOffice()

    async def scenario(rig):
        code, text = await send(rig.address, *messages)
        assert (grpc.StatusCode.INVALID_ARGUMENT, True) == (code, why in text), text
        assert [] == office.taken
        assert VERDICT == await client.upload(rig.address, PACKAGE)

    kit.run(scenario, office=office)


def test_what_is_too_large_is_refused_before_it_is_sent(kit):
    """
    The header is enough; nobody waits for more.
    """

    async def scenario(rig):
        code, _ = await send(rig.address, header(size=1 << 40), end=False)
        assert grpc.StatusCode.INVALID_ARGUMENT is code

    kit.run(scenario, office=FakeOffice())


def test_a_large_package_is_not_even_sent(kit):
    """
    The client is told how much is taken before it sends anything.
    """
    office = FakeOffice()
    office.upload_limit = 1000

    async def scenario(rig):
        with pytest.raises(RemoteError, match="at most 1000 bytes, and this one has 768000"):
            await client.upload(rig.address, PACKAGE)

    kit.run(scenario, office=office)


def test_one_at_a_time(kit):
    """
    Who comes while another is being taken in is told so; a client that goes away makes room.
    """
    office = FakeOffice()

    async def scenario(rig):
        office.may_go_on.clear()
        first = asyncio.create_task(client.upload(rig.address, PACKAGE))
        await rig.until(lambda: office.taken)
        with pytest.raises(
            RemoteError, match="another program is being taken in; try again in 30 s"
        ):
            await client.upload(rig.address, PACKAGE)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await rig.until(lambda: not rig.server.uploads._busy)
        office.may_go_on.set()
        assert VERDICT == await client.upload(rig.address, PACKAGE)

    kit.run(scenario, office=office)


def test_who_sends_too_slowly_is_sent_away(kit, monkeypatch):
    """
    A client that says nothing does not keep others from uploading.
    """
    monkeypatch.setattr(uploading, "PIECE", 0.2)

    async def scenario(rig):
        code, text = await send(rig.address, header(), PIECES[0], end=False)
        assert (grpc.StatusCode.DEADLINE_EXCEEDED, True) == (code, "did not come in time" in text)

    kit.run(scenario, office=FakeOffice())


def test_who_is_not_invited_need_not_send_anything(kit):
    """
    The header is enough, so nobody else waits for what would be refused anyway.
    """

    async def scenario(rig):
        code, _ = await send(rig.address, header(invitation="wrong"), end=False)
        assert grpc.StatusCode.PERMISSION_DENIED is code

    kit.run(scenario, office=FakeOffice())


def test_who_sends_slowly_keeps_nobody_else_out(kit, monkeypatch):
    """
    But a second package from the same address waits, and so does one too many.
    """
    addresses = iter(["a", "a", "b", "c", "c", "d", "e"])
    monkeypatch.setattr(uploading, "peer_of", lambda _: next(addresses))
    monkeypatch.setattr(uploading, "ARRIVING", 3)
    slow = []

    async def scenario(rig):
        async def begin(there):
            slow.append(asyncio.create_task(send(rig.address, header(), end=False)))
            await rig.until(lambda: len(rig.server.uploads._arriving) == there)

        await begin(1)
        with pytest.raises(RemoteError, match="another program"):
            await client.upload(rig.address, PACKAGE)
        assert VERDICT == await client.upload(rig.address, PACKAGE)
        await begin(2)
        with pytest.raises(RemoteError, match="another program"):
            await client.upload(rig.address, PACKAGE)
        await begin(3)
        with pytest.raises(RemoteError, match="another program"):
            await client.upload(rig.address, PACKAGE)
        for each in slow:
            each.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        await rig.until(lambda: not rig.server.uploads._arriving)

    kit.run(scenario, office=FakeOffice())


def test_faults_of_the_league_are_told_apart(kit):
    """
    A refusal has its reason; a fault of ours has a number and nothing else.
    """
    office = FakeOffice()

    async def scenario(rig):
        office.error = ConfigError("is a link", key="package")
        with pytest.raises(RemoteError, match="package: is a link"):
            await client.upload(rig.address, PACKAGE)
        office.error = RuntimeError(SECRET)
        code, text = await send(rig.address, header(), *PIECES)
        assert (grpc.StatusCode.INTERNAL, False) == (code, SECRET in text)
        office.upload_limit = 0
        with pytest.raises(RemoteError, match="no programs are taken here"):
            await client.upload(rig.address, PACKAGE)

    kit.run(scenario, office=office)


def test_without_a_league_no_programs_are_taken(kit):
    """
    A referee that hosts none says so.
    """

    async def scenario(rig):
        with pytest.raises(RemoteError, match="no programs are taken here"):
            await client.upload(rig.address, PACKAGE)

    kit.run(scenario)
