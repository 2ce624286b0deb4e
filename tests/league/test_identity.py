"""
Tokens, invitations, TLS and what is logged, with real programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import unicodedata

import grpc
import grpc.aio
import pytest
import trustme
from euchre.referee.v1 import referee_service_pb2 as pb
from euchre.referee.v1 import referee_service_pb2_grpc, tournament_service_pb2_grpc
from euchre.referee.v1 import tournament_service_pb2 as tournament

from referee import client
from referee.errors import RemoteError

pytestmark = pytest.mark.slow

OPERATOR = "results/tokens/small/operator.token"


@pytest.fixture
def file(place, first, address):
    """
    An open league with one house bot.
    """
    return place.league(("a", first, "instances = 2"), open=True, listen=address)


def serve(place, *arguments):
    """
    Start a referee, and wait until it listens.
    """
    process = place.start("serve", *arguments, program="referee")
    place.wait(lambda: "listening at" in process.err.read_text(), "it listens")
    return process


def stop(place, process):
    """
    Stop a referee gently.
    """
    process.send_signal(signal.SIGINT)
    assert 0 == place.end_of(process)


def listed(address, bot):
    """
    Return what the referee lists of a bot.
    """
    return {each.bot_id: each for each in asyncio.run(client.list_bots(address))}[bot]


def played(place, bot):
    """
    Return how many games of a bot are stored.
    """
    return sum(bot in row[0].split() for row in place.ask("SELECT seats FROM game"))


class TestTokens:
    """
    Rotating and revoking.
    """

    def test_a_revoked_bot_is_out_for_good(self, place, file, address, first):
        """
        It is cut off and cannot come back, its games stay, also after a restart.
        """
        referee = serve(place, file)
        for name in ("one", "two"):
            place.run("submit", name, "--address", address, program="referee")
        tokens = {
            name: (place.path / f"{name}.token").read_text().strip() for name in ("one", "two")
        }
        bots = [place.start_bot(first, address, tokens["one"], instance) for instance in "12"]
        place.wait(lambda: played(place, "one") == 4, "it has played the house bot")

        # Nobody's token, another bot's, and none: all are refused with a reason.
        operators = (place.path / OPERATOR).read_text().strip()
        for bot, token, words in (
            ("one", tokens["two"], "neither the bot's nor the operator's"),
            ("nobody", tokens["two"], "neither the bot's nor the operator's"),
            ("one", "nonsense", "nobody's"),
            ("one", "", "no token"),
            ("nobody", operators, "no such bot"),
        ):
            with pytest.raises(RemoteError, match=words):
                asyncio.run(client.revoke(address, bot, token))
        place.run("bots", "revoke", "x y", "--address", address, program="referee", code=2)

        out = place.run("bots", "revoke", "one", "--address", address, program="referee").stdout
        assert "one is out.\n" == out
        assert [1, 1] == [place.end_of(bot) for bot in bots]
        bots = [place.start_bot(first, address, tokens["two"], instance) for instance in "12"]
        place.wait(lambda: played(place, "two") == 4, "the other has played the house bot")
        report = place.wait(
            lambda: (found := asyncio.run(client.standings(address))).played == 8 and found,
            "all",
            every=0.1,
        )
        assert 8 == report.scheduled
        out = place.run("bots", "list", "--address", address, program="referee").stdout
        lines = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
        assert ["one", "4", "bid+buck", "0", "revoked"] == lines["one"]
        stop(place, referee)

        referee = serve(place, file)
        assert 1 == place.end_of(place.start_bot(first, address, tokens["one"]))
        assert listed(address, "one").revoked
        # Twice does no harm, and a bot that is out gets no token.
        asyncio.run(client.revoke(address, "one", operators))
        with pytest.raises(RemoteError, match="was taken out"):
            asyncio.run(client.rotate(address, "one", operators))
        assert (4, 4) == (played(place, "one"), played(place, "two"))
        stop(place, referee)

    def test_a_house_bot_can_be_revoked_by_the_operator(self, place, file, address):
        """
        Its programs end and are not started again, also not after a restart.
        """
        referee = serve(place, file)
        operator = ("--token-file", OPERATOR, "--address", address)
        place.wait(lambda: listed(address, "a").connected == 2, "it is connected", every=0.1)
        done = place.run("bots", "rotate", "a", *operator, program="referee", code=1)
        assert "league file names" in done.stderr
        place.run("bots", "revoke", "a", *operator, program="referee")
        place.wait(lambda: not [p for p in place.processes() if "first" in p], "it has ended")
        stop(place, referee)
        referee = serve(place, file)
        assert (0, True) == ((bot := listed(address, "a")).connected, bot.revoked)
        assert [] == [p for p in place.processes() if "first" in p]
        stop(place, referee)

    def test_a_rotated_token(self, place, file, address, first):
        """
        The file holds the new one, the old one is void; the operator can do it too.
        """
        referee = serve(place, file)
        place.run("submit", "one", "--address", address, program="referee")
        kept = place.path / "one.token"
        old = kept.read_text().strip()
        bot = place.start_bot(first, address, old)
        place.wait(lambda: listed(address, "one").connected == 1, "it is connected", every=0.1)
        said = place.run("bots", "rotate", "one", "--address", address, program="referee").stdout
        new = kept.read_text().strip()
        assert (False, 0o600) == (new == old, kept.stat().st_mode & 0o777)
        assert (False, True) == (new in said, "one.token" in said)
        assert 1 == place.end_of(bot)
        assert 1 == place.end_of(place.start_bot(first, address, old))
        # The operator's goes elsewhere, and what is there is never overwritten.
        operator = ("--token-file", OPERATOR, "--address", address)
        done = place.run(
            *("bots", "rotate", "one", *operator, "--output", OPERATOR), program="referee", code=2
        )
        assert "there already" in done.stderr
        place.run("bots", "rotate", "one", *operator, program="referee")
        newest = (place.path / "one-2.token").read_text().strip()
        assert new == kept.read_text().strip()
        stop(place, referee)
        referee = serve(place, file)
        assert 1 == place.end_of(place.start_bot(first, address, new))
        place.start_bot(first, address, newest)
        place.wait(lambda: listed(address, "one").connected == 1, "it is connected", every=0.1)
        stop(place, referee)


class TestAdmissions:
    """
    Who may enter a bot.
    """

    def test_by_invitation(self, place, file, address):
        """
        One of the codes of the file, which may change meanwhile.
        """
        codes = place.path / "codes.txt"
        codes.write_text("# friends\nsesame  # until May\nabracadabra\n")
        config = place.path / "serve.toml"
        config.write_text('[submission]\nmode = "invitation"\ninvitations = "codes.txt"\n')
        referee = serve(place, file, "--config", config)

        def submit(*arguments, code):
            return place.run(
                "submit", "x", "--address", address, *arguments, program="referee", code=code
            )

        assert "--invitation" in submit(code=1).stderr
        assert "not valid" in submit("--invitation", "open", code=1).stderr
        submit("--invitation", "sesame", code=0)
        codes.write_text("abracadabra\n")
        assert "not valid" in submit("--invitation", "sesame", code=1).stderr
        codes.unlink()
        submit("--invitation", "abracadabra", code=0)
        assert "sesame" not in referee.err.read_text()
        stop(place, referee)
        done = place.run("serve", file, "--config", config, program="referee", code=2)
        assert ("codes.txt" in done.stderr, "submission.invitations" in done.stderr) == (True, True)

    def test_closed(self, place, file, address):
        """
        Nobody, but the list and the standings are there.
        """
        config = place.path / "serve.toml"
        config.write_text('[submission]\nmode = "closed"\nper_minute = 1\n')
        referee = serve(place, file, "--config", config)
        done = place.run("submit", "x", "--address", address, program="referee", code=1)
        assert "takes no bots from outside" in done.stderr
        done = place.run("submit", "x", "--address", address, program="referee", code=1)
        assert "too many submissions; try again in" in done.stderr
        assert not listed(address, "a").revoked
        stop(place, referee)


class TestTransport:
    """
    TLS from the configuration, for open leagues and closed ones.
    """

    def test_a_league_is_served_with_tls(self, place, file, address):
        """
        The files are relative to the configuration.
        """
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1")
        issued.private_key_pem.write_to_path(place.path / "referee.key")
        issued.cert_chain_pems[0].write_to_path(place.path / "referee.crt")
        authority.cert_pem.write_to_path(place.path / "ca.crt")
        config = place.path / "serve.toml"
        config.write_text('[tls]\ncertificate = "referee.crt"\nkey = "referee.key"\n')
        referee = serve(place, file, "--config", config)
        place.run("submit", "x", "--address", address, "--ca", "ca.crt", program="referee")
        done = place.run("submit", "y", "--address", address, program="referee", code=1)
        assert "--tls" in done.stderr
        stop(place, referee)
        (place.path / "referee.key").unlink()
        done = place.run("serve", file, "--config", config, program="referee", code=2)
        assert ("referee.key" in done.stderr, "tls.key" in done.stderr) == (True, True)

    def test_a_network_is_not_crossed_in_the_clear(self, place, first):
        """
        The refusal names the ways out, and `--config` is one for `league run` too.
        """
        bots = [("a", first, "instances = 2"), ("b", first, "instances = 2")]
        file = place.league(*bots, listen="0.0.0.0:0")
        place.run("run", file, "--config", "nowhere.toml", code=2)
        assert not (place.path / "results").exists()
        done = place.run("run", file, code=2)
        assert not (place.path / "results").exists()
        for way in ("[tls]", "--config", "127.0.0.1", "insecure = true"):
            assert way in done.stderr
        config = place.path / "serve.toml"
        config.write_text("insecure = true\n")
        place.run("run", file, "--config", config)

    @pytest.mark.parametrize(("program", "command"), [("league", "run"), ("referee", "serve")])
    def test_bad_files_are_noticed_before_anything_is_begun(self, place, file, program, command):
        """
        Otherwise there would be a run that could never be finished.
        """
        config = place.path / "serve.toml"
        config.write_text('[tls]\ncertificate = "referee.crt"\nkey = "referee.key"\n')
        (place.path / "referee.crt").write_text("no certificate")
        (place.path / "referee.key").write_text("no key")
        done = place.run(command, file, "--config", config, program=program, code=2)
        assert ("referee.crt" in done.stderr, "tls.certificate" in done.stderr) == (True, True)
        assert not (place.path / "results").exists()


def hostile(address, secret):
    """
    Call everything with what should not be seen; return the tokens and the texts that came of it.
    """
    acting = "\x1b[2J\x1b]0;x\x07\u202e\r\n\x00evil"

    async def all_calls():
        tokens, shown = [], []
        async with grpc.aio.insecure_channel(address) as channel:
            office = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            play = referee_service_pb2_grpc.RefereeServiceStub(channel)
            metadata = (("authorization", f"Bearer {secret}"), ("x-evil-bin", acting.encode()))
            calls = [
                (office.SubmitBot, tournament.SubmitBotRequest(name=acting, invitation=secret)),
                (office.SubmitBot, tournament.SubmitBotRequest(name="n", contact=acting)),
                (office.SubmitBot, tournament.SubmitBotRequest(name="n", description=acting)),
                (office.SubmitBot, tournament.SubmitBotRequest(name="n", software=acting)),
                (office.SubmitBot, tournament.SubmitBotRequest(name="Böt \U0001f0a1")),
                (office.RotateToken, tournament.RotateTokenRequest(bot_id=acting)),
                (office.RevokeBot, tournament.RevokeBotRequest(bot_id=acting)),
                (office.ListBots, tournament.ListBotsRequest()),
                (office.GetStandings, tournament.GetStandingsRequest()),
            ]
            for method, request in calls:
                try:
                    answer = await method(request, metadata=metadata)
                except grpc.aio.AioRpcError as error:
                    shown.append(f"{error.code().name} {error.details()}")
                else:
                    tokens += [answer.token] if hasattr(answer, "token") else []
            for token in (secret, *tokens):
                for hello in (
                    pb.Hello(protocol=1, instance=acting.replace("\x00", "")),
                    pb.Hello(protocol=1, software=acting),
                    pb.Hello(protocol=1, software="x \u200d " + token[:10]),
                    pb.Hello(protocol=1, software=f"my token is {token}"),
                ):
                    call = play.Play(metadata=(("authorization", f"Bearer {token}"),))
                    # It may be over before anything is said; there is always an answer.
                    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                        await call.write(pb.PlayRequest(hello=hello))
                        await asyncio.wait_for(call.read(), 60)
                    call.cancel()
            rotate = tournament.RotateTokenRequest(bot_id="bot")
            answer = await office.RotateToken(
                rotate, metadata=(("authorization", f"Bearer {tokens[0]}"),)
            )
            return [*tokens, answer.token], shown

    return asyncio.run(all_calls())


def test_nothing_foreign_acts_and_no_token_is_seen(place, file, address):
    """
    Hostile names, tokens and metadata through all calls: then every file and output is scanned.
    """
    referee = serve(place, file, "--log-level", "debug")
    secret = "hunter2-" + "s3cr3t" * 6
    tokens, refusals = hostile(address, secret)
    assert 6 == len(refusals)
    assert not [text for text in refusals if "INTERNAL" in text]
    tokens.append(secret)
    tokens.append((place.path / OPERATOR).read_text().strip())
    assert 4 == len(tokens)
    shown = place.run("bots", "list", "--address", address, program="referee").stdout
    stop(place, referee)
    shown += place.run("standings", file).stdout
    texts = {
        "refusals": "\n".join(refusals),
        "shown": shown,
        "err": referee.err.read_text(),
        "out": referee.out.read_text(),
    }
    for log in (place.path / "results" / "logs").rglob("*.log"):
        texts[log.name] = log.read_text()
    assert "bot_submitted" in texts["err"]
    assert "my token is [token]" in texts["err"]
    for line in texts["err"].splitlines():
        if line.startswith("{"):
            json.loads(line)
    for name, text in texts.items():
        acting = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
        assert acting - set("\n\r\u2068\u2069\u200d") == set(), name
        assert [] == [token for token in tokens if token in text], name
    for path in place.path.rglob("*"):
        if path.is_file() and path.name != "operator.token":
            content = path.read_bytes()
            assert [] == [token for token in tokens if token.encode() in content], path
