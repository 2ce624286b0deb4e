"""
`referee upload`: programs that a referee builds and runs itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import re
import shutil
import signal

import pytest

from referee import client

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

BOT = """
import os, sys
from euchrebot import Bot, run

class Mine(Bot):
    def auction(self, ask):
        legal = ask.auction.legal_bids
        return 3 if 3 in legal else legal[0]

sys.stderr.write(f"{os.getcwd()} {open('made').read()} {sorted(os.listdir('/proc'))[:3]}\\n")
run(Mine())
"""


NO_BUBBLEWRAP = (
    "import shutil; which = shutil.which\n"
    "shutil.which = lambda name, **keys: None if name == 'bwrap' else which(name, **keys)"
)


class Upload:
    """
    A referee that takes programs, and a folder to send.
    """

    def __init__(self, place, samples, first, game="bid"):
        self.place = place
        self.address = place.address()
        houses = [(bot, first, "instances = 4") for bot in ("a" if game == "bid" else "abc")]
        place.league(*houses, game=game, open=True, listen=self.address)
        self.configure()
        self.folder = place.path / "mine"
        self.folder.mkdir()
        shutil.copytree(samples / "euchrebot", self.folder / "euchrebot")
        (self.folder / "bot.py").write_text(BOT)
        self.describe('build = ["sh", "-c", "echo -n built > made; ln -s made link; echo hello"]')

    def configure(self, build_seconds=60):
        """
        Write the configuration of the referee.
        """
        (self.place.path / "serve.toml").write_text(
            'league = "small.toml"\n[uploads]\nenabled = true\ndisk_mb = 32\n'
            f"build_seconds = {build_seconds}\n"
        )

    def describe(self, *more, name="Mine"):
        """
        Write the description of the program.
        """
        lines = [f'name = "{name}"', 'command = ["{python}", "bot.py"]', *more]
        (self.folder / "bot.toml").write_text("\n".join(lines))

    def serve(self, patch=None):
        """
        Start the referee.
        """
        process = self.place.start(
            "serve", "--config", "serve.toml", program="referee", patch=patch
        )
        self.place.wait(
            lambda: f"listening at {self.address}" in process.err.read_text(), "it listens"
        )
        return process

    def send(self, *arguments, code=0):
        """
        Send the program; return what is said.
        """
        command = ("upload", self.folder, "--address", self.address, *arguments)
        done = self.place.run(*command, program="referee", code=code)
        return done.stdout + done.stderr

    def stop(self, process):
        """
        Stop the referee; nothing may be left.
        """
        process.send_signal(signal.SIGINT)
        assert 0 == self.place.end_of(process)
        self.place.nobody_left()

    def matches(self):
        """
        Return how many games of each match are stored.
        """
        return dict(self.place.ask("SELECT match_id, count(*) FROM game GROUP BY match_id"))


@pytest.fixture
def upload(place, samples, first):
    """
    A referee that takes programs.
    """
    return Upload(place, samples, first)


def test_a_program_is_built_plays_and_survives_a_restart(upload, place):
    """
    It is built in a sandbox, runs in others, and starts again with the referee.
    """
    referee = upload.serve()
    said = upload.send()
    assert "It was built in" in said
    assert " 0 failed" in said
    assert "mine is entered and plays" in said
    token = (place.path / "mine.token").read_text().strip()
    place.wait(lambda: upload.matches() == {"a:mine": 4}, "it has played")
    for number in "1234":
        log = next((place.path / "results" / "logs").glob(f"*/mine-{number}.log")).read_text()
        # What the build made, in the folder where it was made; and the first process is its own.
        assert "/bot built ['1', '2'" in log
    listed = asyncio.run(client.list_bots(upload.address))
    assert [("a", 4), ("mine", 4)] == [(bot.bot_id, bot.connected) for bot in listed]

    upload.stop(referee)
    faults = place.ask("SELECT sum(json_extract(result, '$.faults[1]')) FROM game")
    assert [(0,)] == faults

    # Again, with a second program beside it: the kept one starts by itself.
    referee = upload.serve()
    assert "To replace yours by a new version, add --token-file" in upload.send()
    everything = {"a:mine": 4, "a:mine-2": 4, "mine:mine-2": 4}
    place.wait(lambda: upload.matches() == everything, "the second has played both")
    upload.stop(referee)
    kept = (place.path / "results" / "programs").glob("*/*")
    named = sorted(re.sub("[0-9a-f]{16}", "?", path.name) for path in kept)
    assert ["mine-2-?.tar", "mine-?.tar"] == named
    # The owner's token is nowhere but with its owner.
    for found in place.path.rglob("*"):
        if found.is_file() and found.suffix != ".token":
            assert token.encode() not in found.read_bytes(), found


def test_a_new_version_plays_from_the_next_run_on(upload, place, first):
    """
    Night after night, beside a bot that dials in: each plays with the token that it has.
    """

    def said_in(run):
        logs = place.path / "results" / "logs" / f"small-{run}"
        return logs.joinpath("mine-1.log").read_text()

    def played(run):
        games = place.ask("SELECT run_id, match_id, count(*) FROM game GROUP BY run_id, match_id")
        return {match: number for key, match, number in games if key == run}

    everything = {"a:mine": 4, "a:out": 4, "mine:out": 4}
    upload.describe()
    bot = BOT.replace("open('made').read()", "'first'")
    (upload.folder / "bot.py").write_text(bot)
    referee = upload.serve()
    upload.send()
    place.run("submit", "Out", "--address", upload.address, program="referee")
    token = (place.path / "out.token").read_text().strip()
    for instance in "12":
        place.start_bot(first, upload.address, token, instance)
    place.wait(lambda: played(1) == everything, "the first night is played")

    (upload.folder / "bot.py").write_text(bot.replace("first", "second"))
    upload.describe('software = "mine 2"', name="Mine and Better")
    said = upload.send("--token-file", "mine.token")
    assert "mine plays this version from the next run on" in said
    # What does not pass, and what has a token of another kind, changes nothing.
    (upload.folder / "bot.py").write_text("raise SystemExit(3)")
    said = upload.send("--token-file", "mine.token", code=1)
    assert "It was not accepted. The bot plays on as it was." in said
    assert "connects by itself" in upload.send("--token-file", "out.token", code=1)
    (place.path / "wrong.token").write_text("nobody\n")
    assert "the token is nobody's" in upload.send("--token-file", "wrong.token", code=1)
    upload.stop(referee)
    referee = upload.serve()
    place.wait(lambda: said_in(1).count("first") == 2, "it has started again, as it was")
    upload.stop(referee)
    assert "second" not in said_in(1)

    place.run("close", "small.toml")
    referee = upload.serve()
    for instance in "12":
        place.start_bot(first, upload.address, token, instance)
    place.wait(lambda: played(2) == everything, "the second night is played")
    listed = asyncio.run(client.list_bots(upload.address))
    assert [("a", ""), ("mine", "mine 2"), ("out", "")] == [
        (bot.bot_id, bot.software) for bot in listed
    ]
    assert "Mine and Better" == listed[1].name
    assert ("second" in said_in(2), "first" in said_in(2)) == (True, False)
    upload.stop(referee)
    assert ["mine.token", "out.token", "wrong.token"] == sorted(
        path.name for path in place.path.glob("*.token")
    )
    assert 2 == len(list(place.path.glob("results/programs/small/mine-*")))


ALONE = """
import os, sys
from euchrebot import Bot, run

class Mine(Bot):
    pass

fresh = 0 if os.path.exists("/tmp/here") else 1
open("/tmp/here", "w").close()
pid, mount = map(os.readlink, ("/proc/self/ns/pid", "/proc/self/ns/mnt"))
sys.stderr.write(f"{pid} {mount} {fresh}\\n")
run(Mine())
"""


@pytest.mark.parametrize(("game", "games"), [("bid", 4), ("buck", 8)])
def test_every_seat_of_a_set_has_a_sandbox_of_its_own(place, samples, first, game, games):
    """
    Partners share nothing, and none sees a deck twice: four sandboxes for the whole match.

    In Bid those are two seats in two sittings, in Buck one seat in each of four rotations.
    """
    upload = Upload(place, samples, first, game)
    (upload.folder / "bot.py").write_text(ALONE)
    upload.describe()
    referee = upload.serve()
    upload.send()
    place.wait(lambda: sum(upload.matches().values()) == games, "it has played")
    upload.stop(referee)

    # Four processes, each started once, in namespaces and with files of their own.
    logs = sorted((place.path / "results" / "logs").glob("*/mine-*.log"))
    assert ["mine-1.log", "mine-2.log", "mine-3.log", "mine-4.log"] == [log.name for log in logs]
    found = [log.read_text().split() for log in logs]
    assert [["1"]] * 4 == [words[2:] for words in found]
    assert 4 == len({words[0] for words in found}) == len({words[1] for words in found})

    decks = {}
    for set_id, seats, result in place.ask("SELECT set_id, seats, result FROM game"):
        for bot, instance in zip(seats.split(), json.loads(result)["instances"], strict=True):
            if bot == "mine":
                decks.setdefault(set_id, []).append(instance)
    assert [["1", "2", "3", "4"]] * 2 == [sorted(instances) for instances in decks.values()]


BAD_BUILDS = {
    "fails": ('["sh", "-c", "echo oh\\\\\\\\033[2J >&2; exit 3"]', "ended with exit code 3"),
    "is not there": ('["no-such-tool"]', "no-such-tool"),
    "fills the disk": (
        '["sh", "-c", "i=0; while cat /dev/zero > $i; do i=$((i+1)); done"]',
        "exit code",
    ),
    "fills the disk with many files": (
        '["sh", "-c", "for i in 1 2 3 4 5; do head -c 8000000 /dev/urandom > $i || exit; done"]',
        "No space left on device",
    ),
    "reaches for the network": (
        '["{python}", "-c", "import socket; socket.create_connection((\\"198.51.100.1\\", 80))"]',
        "Network is unreachable",
    ),
    "reads what is not its own": ('["cat", "/etc/shadow"]', "No such file or directory"),
    "leaves a bomb of links": (
        '["sh", "-c", "ln -s . a; ln -s . b; ln -s . c; ln -s . d"]',
        "",
    ),
    "removes what describes it": ('["rm", "bot.toml"]', "bot.toml"),
}


def test_a_bad_build_is_told_to_its_author(upload, place):
    """
    Nothing is entered, nothing is left, and the referee goes on.
    """
    referee = upload.serve()
    for kind, (build, why) in BAD_BUILDS.items():
        upload.describe(f"build = {build}")
        sent = place.start("upload", upload.folder, "--address", upload.address, program="referee")
        code = place.end_of(sent)
        said = sent.out.read_text() + sent.err.read_text()
        assert (True, True, True) == (code in (1, 2), why in said, "\x1b" not in said), kind + said
        assert [] == list(place.path.glob("results/programs/*/*"))
    upload.describe('build = ["touch", "made"]')
    (upload.folder / "made").write_text("")
    assert "mine is entered" in upload.send()
    upload.stop(referee)


def test_a_build_that_hangs_is_ended(upload, place):
    """
    Its author is told how long it may take.
    """
    upload.configure(build_seconds=1)
    referee = upload.serve()
    upload.describe('build = ["sleep", "1000"]')
    done = place.run(
        "upload", upload.folder, "--address", upload.address, program="referee", code=1
    )
    assert "took longer than 1 second" in done.stdout + done.stderr
    assert [] == list(place.path.glob("results/programs/*/*"))
    upload.stop(referee)


def test_a_program_that_does_not_speak_the_protocol_is_not_entered(upload, place):
    """
    The report says which check it has failed.
    """
    referee = upload.serve()
    upload.describe()
    wrong = BOT.replace("3 if 3 in legal else legal[0]", "99").replace("open('made').read()", "1")
    (upload.folder / "bot.py").write_text(wrong)
    said = upload.send(code=1)
    assert "FAILED" in said
    assert "It was not accepted" in said
    (upload.folder / "bot.py").write_text("raise SystemExit(3)")
    assert "FAILED" in upload.send(code=1)
    assert ["a"] == [bot.bot_id for bot in asyncio.run(client.list_bots(upload.address))]
    assert [] == list(place.path.glob("results/programs/*/*"))
    upload.stop(referee)


def test_its_owner_can_take_it_out(upload, place):
    """
    A new token leaves it playing; revoked, its processes end and do not come back.
    """
    referee = upload.serve()
    upload.send()
    token = (place.path / "mine.token").read_text().strip()

    def connected():
        bots = asyncio.run(client.list_bots(upload.address))
        return {bot.bot_id: bot.connected for bot in bots}

    place.wait(lambda: connected() == {"a": 4, "mine": 4}, "all are there", every=0.1)
    fresh = asyncio.run(client.rotate(upload.address, "mine", token))
    assert {"a": 4, "mine": 4} == connected()
    asyncio.run(client.revoke(upload.address, "mine", fresh))
    place.wait(lambda: connected() == {"a": 4, "mine": 0}, "it has gone", every=0.1)
    assert [] == list(place.path.glob("results/programs/*/*"))
    upload.stop(referee)
    referee = upload.serve()
    place.wait(lambda: connected()["a"] == 4, "the other is back", every=0.1)
    assert 0 == connected()["mine"]
    upload.stop(referee)


def test_what_cannot_be_sent_is_said_here(upload, place):
    """
    Mistakes in the folder need no referee.
    """
    upload.describe("instances = 0")
    done = place.run("upload", upload.folder, program="referee", code=2)
    assert "bot.toml: instances: must be from 1 to 16" in done.stderr
    upload.describe('build = ["{pyton}", "make.py"]')
    done = place.run("upload", upload.folder, program="referee", code=2)
    assert "bot.toml: build: {pyton} stands for nothing (did you mean {python}?)" in done.stderr
    assert "sending" not in done.stderr
    upload.describe()
    (upload.folder / "passwd").symlink_to("/etc/passwd")
    done = place.run("upload", upload.folder, program="referee", code=2)
    assert "passwd: is a link" in done.stderr
    done = place.run("upload", place.path / "no", program="referee", code=2)
    assert "is not a folder" in done.stderr


@pytest.mark.usefixtures("upload")
def test_a_referee_without_bubblewrap_takes_no_programs(place):
    """
    Unless it is told to run them as they are.
    """
    done = place.run(
        "serve", "--config", "serve.toml", program="referee", patch=NO_BUBBLEWRAP, code=2
    )
    assert "there is no bubblewrap here" in done.stderr
    assert "apt install bubblewrap" in done.stderr
    assert [(0,)] == place.ask("SELECT count(*) FROM run")


def test_without_a_sandbox_they_run_as_they_are_if_that_is_wanted(upload, place):
    """
    Built and run by an ordinary user, at their real place.
    """
    file = place.path / "serve.toml"
    file.write_text(file.read_text() + "without_sandbox = true\n")
    (upload.folder / "bot.py").write_text(
        BOT.replace("os.getcwd()", "os.getcwd()[:12], os.getuid()")
    )
    referee = upload.serve(patch=NO_BUBBLEWRAP)
    upload.send()
    place.wait(lambda: upload.matches() == {"a:mine": 4}, "it has played")
    log = next((place.path / "results" / "logs").glob("*/mine-1.log")).read_text()
    user = os.getuid() or pwd.getpwnam("nobody").pw_uid
    assert f"('/tmp/euchre-', {user}) built" in log
    upload.stop(referee)


def test_a_referee_does_not_take_programs_unless_it_is_told_to(upload, place):
    """
    By default nobody may send any.
    """
    (place.path / "serve.toml").write_text('league = "small.toml"\n')
    referee = upload.serve()
    done = place.run(
        "upload", upload.folder, "--address", upload.address, program="referee", code=1
    )
    assert "no programs are taken here" in done.stderr
    upload.stop(referee)
