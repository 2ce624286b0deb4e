"""
`referee serve` and `referee submit`, and bots that come from outside.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
import signal

import pytest

from referee import client

pytestmark = pytest.mark.slow


@pytest.fixture
def file(place, first, last, address):
    """
    An open league with two house bots.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    return place.league(*bots, open=True, listen=address)


def serve(place, file, address):
    """
    Start a referee, and wait until it listens.
    """
    process = place.start("serve", file, program="referee")
    place.wait(lambda: f"listening at {address}" in process.err.read_text(), "it listens")
    return process


def stop(place, process):
    """
    Stop a referee gently: Ctrl-C is how it ends, so that is no failure.
    """
    process.send_signal(signal.SIGINT)
    assert 0 == place.end_of(process)


def matches(place):
    """
    Return how many games of each match are stored.
    """
    return dict(place.ask("SELECT match_id, count(*) FROM game GROUP BY match_id"))


class TestOpenLeague:
    """
    A league that bots are submitted to.
    """

    def test_a_submitted_bot_plays_everybody_and_survives_a_restart(
        self, place, file, address, first
    ):
        """
        Submitted over gRPC, it is paired with all; its token and games outlive the referee.
        """
        referee = serve(place, file, address)
        said = place.run("submit", "My Bot", "--address", address, program="referee").stdout
        path = place.path / "my-bot.token"
        token = path.read_text().strip()
        assert 0o600 == path.stat().st_mode & 0o777
        assert ("my-bot is entered" in said, token in said) == (True, False)

        bots = [place.start_bot(first, address, token, instance) for instance in "12"]
        everything = {"a:b": 4, "a:my-bot": 4, "b:my-bot": 4}
        place.wait(lambda: matches(place) == everything, "it has played everybody")
        report = place.wait(
            lambda: (found := asyncio.run(client.standings(address))).played == 12 and found,
            "the standings over gRPC have them all",
            every=0.1,
        )
        table = place.json("standings", file)
        told = [dataclasses.asdict(row) for row in report.rows]
        assert all(row.pop("median_decision_ms") is not None for row in told)
        # All else that the table says is told over gRPC too.
        assert table["rows"] == [{"bot": row.pop("bot_id"), **row} for row in told]
        assert {8} == {row["games"] for row in table["rows"]}
        # Decks that a newcomer may still get stay secret.
        assert None is table["run"].get("secret")

        stop(place, referee)
        for bot in bots:
            assert 0 == place.end_of(bot)  # it was told farewell
        assert [] == place.processes()

        # A second bot of that name, and a restart in between.
        referee = serve(place, file, address)
        assert "is called so" not in said
        said = place.run("submit", "MY BOT", "--address", address, program="referee").stdout
        assert "Another bot is called so: my-bot. Both play;" in said
        other = (place.path / "my-bot-2.token").read_text().strip()
        assert other != token
        for each in (token, other):
            for instance in "12":
                place.start_bot(first, address, each, instance)
        everything |= {"a:my-bot-2": 4, "b:my-bot-2": 4, "my-bot:my-bot-2": 4}
        place.wait(lambda: matches(place) == everything, "the second has played everybody")
        stop(place, referee)

        # Tokens are nowhere but in the files of their owners.
        kept = {path, place.path / "my-bot-2.token"}
        for found in place.path.rglob("*"):
            if found.is_file() and found not in kept:
                content = found.read_bytes()
                assert (False, False) == (token.encode() in content, other.encode() in content)

    def test_what_is_refused(self, place, file, address):
        """
        Names that mislead, games that are not played here, tokens of nobody.
        """
        serve(place, file, address)
        for arguments, words in (
            (["a\x1b[2Jb"], "name"),
            ([""], "name"),
            (["x" * 65], "name"),
            (["ok", "--game", "buck"], "games"),
        ):
            done = place.run("submit", *arguments, "--address", address, program="referee", code=1)
            assert words in done.stderr
            assert ("", 1) == (done.stdout, done.stderr.count("\n"))
        assert [] == list(place.path.glob("*.token"))
        assert 2 == len(place.ask("SELECT * FROM bot"))

    def test_a_text_that_holds_a_token_is_refused(self, place, file, address):
        """
        It would be shown to all and logged; and the refusal does not repeat it.
        """
        serve(place, file, address)
        place.run("submit", "mine", "--address", address, program="referee")
        mine = (place.path / "mine.token").read_text().strip()
        tokens = place.path / "results" / "tokens" / "small"
        for token in (mine, (tokens / "operator.token").read_text().strip()):
            for arguments, key in (
                ([f"x{token}y"], "name"),
                (["n", f"--software={token}"], "software"),  # it may begin with a dash
            ):
                done = place.run(
                    "submit", *arguments, "--address", address, program="referee", code=1
                )
                assert (f"{key}: holds a token" in done.stderr, token in done.stderr) == (
                    True,
                    False,
                )
        assert 3 == len(place.ask("SELECT * FROM bot"))

    def test_a_token_file_is_never_overwritten(self, place, file, address):
        """
        A token cannot be asked for again: a file that is there is refused, before submitting.
        """
        serve(place, file, address)
        (place.path / "mine").write_text("something\n")
        done = place.run(
            *("submit", "bot", "--address", address, "--output", "mine"),
            program="referee",
            code=2,
        )
        assert "mine" in done.stderr
        assert "something\n" == (place.path / "mine").read_text()
        assert 2 == len(place.ask("SELECT * FROM bot"))

    def test_a_bot_with_a_wrong_token_is_told_so(self, place, file, address, first):
        """
        It goes home with exit code 1, since coming back would not help.
        """
        serve(place, file, address)
        assert 1 == place.end_of(place.start_bot(first, address, "nonsense"))

    def test_nobody_there(self, place, address):
        """
        A referee that does not answer is one line, exit code 1.
        """
        done = place.run("submit", "bot", "--address", address, program="referee", code=1)
        assert address in done.stderr
        assert 1 == done.stderr.count("\n")

    def test_a_league_that_is_not_open(self, place, first):
        """
        `serve` says which key would open it.
        """
        file = place.league(("a", first), ("b", first))
        done = place.run("serve", file, program="referee", code=2)
        assert "league.open" in done.stderr


class TestOutside:
    """
    Entrants of a closed league that connect by themselves.
    """

    def test_it_plays_with_the_token_that_is_written_for_it(self, place, first, address):
        """
        The run says where it listens and where the token is, waits, and plays.
        """
        bots = [("a", first, "instances = 2"), ("far", None, "outside = true")]
        file = place.league(*bots, listen=address, wait=60.0)
        process = place.start("run", file)
        path = place.path / "results" / "tokens" / "small" / "far.token"
        place.wait(lambda: "waiting for far" in process.err.read_text(), "it waits")
        line = process.err.read_text()
        assert re.search(rf"waiting for far at {address}; its token is in (\S+)", line)
        assert 0o600 == path.stat().st_mode & 0o777
        token = path.read_text().strip()
        for instance in "12":
            place.start_bot(first, address, token, instance)
        assert 0 == place.end_of(process)
        table = place.json("standings")
        assert [(4, 0)] * 2 == [(row["games"], row["forfeits"]) for row in table["rows"]]
        assert token.encode() not in (place.path / "results" / "small.db").read_bytes()
        assert token not in process.err.read_text()

    def test_who_does_not_come_forfeits(self, place, first, address):
        """
        After `wait` seconds the league begins without it, and ends.
        """
        bots = [("a", first, "instances = 2"), ("far", None, "outside = true")]
        file = place.league(*bots, listen=address, wait=0.3, limits={"grace": 0.2})
        process = place.start("run", file)
        assert 0 == place.end_of(process)
        rows = {row["bot"]: row for row in place.json("standings")["rows"]}
        assert (4, 0) == (rows["far"]["forfeits"], rows["a"]["forfeits"])
        assert "bot_missing" in process.err.read_text()


class TestWatching:
    """
    `referee watch`, beside a league that grows.
    """

    def test_games_and_standings_are_followed(self, place, file, address):
        """
        Every stored game arrives once, in order; the standings end as they are stored.
        """
        referee = serve(place, file, address)
        at = ("--address", address, "--json")
        games = place.start("watch", "games", "--after", "0", *at, program="referee")
        standings = place.start("watch", "standings", *at, program="referee")
        plain = place.start("watch", "games", "--after", "0", *at[:2], program="referee")

        def lines(process):
            return [json.loads(line) for line in process.out.read_text().splitlines()]

        place.wait(lambda: len(lines(games)) == 4 and lines(standings), "all games have come")
        place.wait(lambda: lines(standings)[-1]["played"] == 4, "and the standings of all")
        stored = place.ask("SELECT id, set_id, sitting FROM game ORDER BY id")
        assert stored == [(line["game"], line["set_id"], line["sitting"]) for line in lines(games)]
        assert {"a", "b"} == {bot for line in lines(games) for bot in line["bot_ids"]}
        assert {line["ending"] for line in lines(games)} <= {"target", "adjudicated"}
        place.wait(lambda: plain.out.read_text().count("\n") == 4, "and for people")
        named = [line.split()[1] for line in plain.out.read_text().splitlines()]
        assert place.stored() == named, "as `league show` calls them"
        stop(place, referee)
        for process in (games, standings, plain):
            assert 1 == place.end_of(process)
            assert "the referee shuts down" in process.err.read_text()
            assert 1 == process.err.read_text().count("\n")

    def test_who_may(self, place, file, address):
        """
        Where only those of the league may watch, its bots and its operator may.
        """
        config = place.path / "serve.toml"
        config.write_text(f'league = "{file.name}"\nwatch = "bots"\n')
        place.start("serve", "--config", config, program="referee")
        tokens = place.path / "results" / "tokens" / "small"
        place.wait((tokens / "operator.token").exists, "it has written the operator's token")
        place.wait(lambda: matches(place) == {"a:b": 4}, "its games are stored")
        (place.path / "nobody.token").write_text("nonsense")
        place.run("submit", "mine", "--address", address, program="referee")
        at = ("watch", "games", "--after", "0", "--address", address)

        for arguments in ((), ("--token-file", "nobody.token")):
            refused = place.run(*at, *arguments, program="referee", code=1)
            assert "show a token" in refused.stderr
        for name in (place.path / "mine.token", tokens / "operator.token"):
            watching = place.start(*at, "--token-file", name, program="referee")
            place.wait(lambda w=watching: 4 == w.out.read_text().count("\n"), "it sees them")


class TestDraining:
    """
    SIGTERM, as a service manager sends it.
    """

    SLOW = (
        "    def play(self, ask):\n"
        "        pathlib.Path('asked').touch()\n"
        "        while not pathlib.Path('go').exists():\n"
        "            time.sleep(0.01)\n"
        "        return ask.play.legal_cards[0]\n"
    )

    def serving(self, place, last, address, drain):
        """
        A referee with a bot that takes its time, in a game.
        """
        slow = place.bot("slow", self.SLOW)
        file = place.league(
            ("a", slow, "instances = 2"), ("b", last, "instances = 2"), open=True, listen=address,
            limits={"answer": 900.0}, hands=1, sets=1,
        )  # fmt: skip
        config = place.path / "serve.toml"
        config.write_text(f'league = "{file.name}"\ndrain = {drain}\n')
        process = place.start("serve", "--config", config, program="referee")
        place.wait((place.path / "asked").exists, "a bot is asked for a card")
        return process

    def test_games_in_progress_end_and_are_stored(self, place, last, address):
        """
        Meanwhile nobody is taken in any more; afterwards exit code 0, and nothing is left.
        """
        process = self.serving(place, last, address, 900.0)
        process.send_signal(signal.SIGTERM)
        place.wait(lambda: "once more" in process.err.read_text(), "the signal is heard")
        done = place.run("submit", "late", "--address", address, program="referee", code=1)
        assert "the referee shuts down" in done.stderr
        place.go()
        assert 0 == place.end_of(process)
        assert place.stored()
        assert [] == place.processes()

    def test_what_takes_longer_is_given_up(self, place, last, address):
        """
        After `drain` seconds the game is dropped, and nothing of it is stored.
        """
        process = self.serving(place, last, address, 0.2)
        process.send_signal(signal.SIGTERM)
        assert 0 == place.end_of(process)
        assert [] == place.stored()
        assert [] == place.processes()
        assert "Traceback" not in process.err.read_text()

    def test_a_second_signal_stops_now(self, place, last, address):
        """
        Whatever the first one has promised.
        """
        process = self.serving(place, last, address, 900.0)
        process.send_signal(signal.SIGTERM)
        place.wait(lambda: "once more" in process.err.read_text(), "the first signal is heard")
        process.send_signal(signal.SIGTERM)
        assert 0 == place.end_of(process)
        assert [] == place.stored()
        assert [] == place.processes()


def test_a_league_that_is_closed_can_be_verified(place, file, address, first):
    """
    Its decks are revealed, newcomers and missing games included; who serves it begins anew.
    """
    referee = serve(place, file, address)
    for name in ("New", "Never Here"):
        place.run("submit", name, "--address", address, program="referee")
    token = (place.path / "new.token").read_text().strip()
    for instance in "12":
        place.start_bot(first, address, token, instance)
    everything = {"a:b": 4, "a:new": 4, "b:new": 4}
    place.wait(lambda: matches(place) == everything, "all that are there have played")
    assert "is playing into" in place.run("close", file, code=1).stderr
    stop(place, referee)
    assert None is place.json("standings", file)["run"]["secret"]
    assert "not finished" in place.run("verify", file, code=1).stderr

    said = place.run("close", file).stdout
    assert "run 1 of small is over; 12 games of the schedule were not played\n" == said
    assert said == place.run("close", file).stdout
    assert place.json("standings", file)["run"]["secret"] is not None
    assert "verified: 12 of 24 games, " in place.run("verify", file).stdout
    place.run("export", file, "--output", "games.jsonl")
    done = place.run("verify", "games.jsonl", program="referee")
    assert "verified: 12 of 24 games, " in done.stdout
    # What is missing may be missing, but what is there stands once, and in its place.
    lines = (place.path / "games.jsonl").read_text().splitlines()
    for number, edited in enumerate((
        [*lines[:3], lines[2], *lines[3:]],
        [lines[0], lines[2], lines[1], *lines[3:]],
        [*lines[:4], *lines[5:]],
    )):  # fmt: skip
        (place.path / f"{number}.jsonl").write_text("\n".join(edited) + "\n")
        place.run("verify", f"{number}.jsonl", program="referee", code=1)

    # Whoever knows the secret knows all decks of that run, so it is played no more.
    referee = serve(place, file, address)
    place.wait(lambda: matches(place)["a:b"] == 8, "the house bots play in a new run")
    stop(place, referee)
    assert [(1, 4), (2, 4)] == place.ask("SELECT run_id, count(*) FROM bot GROUP BY run_id")
