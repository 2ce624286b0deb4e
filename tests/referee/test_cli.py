"""
The `referee` command: what it prints, what it refuses, and with which exit code.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from referee import cli, client
from referee.cli import submit as submitting
from referee.office import Admission

SCENARIOS = Path(__file__).parents[1] / "vectors" / "scenarios.jsonl"

SCENARIO = {
    "game": "bid",
    "dealer": "N",
    "deck": "AC 9S KS QH TD JH AS QS 9D TS TH KH JD 9C QD AD QC AH JC TC JS 9H KC KD",
    "actions": ["E bid 3", "S bid 4", "W pass", "N pass"],
}


@pytest.fixture
def run(capsys, monkeypatch):
    """
    Runs the command: `run("rules", "bid")`; returns exit code, output and errors.
    """

    def call(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            cli.main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return call


NOWHERE = ["foo", "127.0.0.1:99999", ":50117", "127.0.0.1:"]
NOWHERE += ["::1", "::1:50117", "fe80::1%lo:50117", "1:2:3:4:5:6:7:8:50117"]
"""What is no address: above all IPv6 without brackets, whose end could be a port or not."""


@pytest.mark.parametrize("address", NOWHERE)
def test_what_is_no_address_is_refused(run, address):
    """
    It is named; gRPC would make another port of it, and call whoever listens there.
    """
    code, out, err = run("bots", "list", "--address", address)
    assert (2, "") == (code, out)
    assert (
        f"--address: must be HOST:PORT, as in 127.0.0.1:50117 or [::1]:50117, not {address!r}"
        in err
    )


@pytest.mark.parametrize("command", ["watch games", "bots revoke x", "upload ."])
@pytest.mark.parametrize("text", ["", "two words", "\x1b[2J", "caf\xe9"])
def test_a_file_without_a_token_is_refused(run, tmp_path, monkeypatch, command, text):
    """
    Before anybody is called; what is in it is not shown.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.toml").write_text('name = "x"\ncommand = ["{python}", "x.py"]\n')
    (tmp_path / "file").write_text(text, encoding="utf-8")
    code, out, err = run(*command.split(), "--token-file", "file", "--address", "127.0.0.1:1")
    assert (2, "") == (code, out)
    assert "referee: file: --token-file: holds no token\n" == err


@pytest.mark.parametrize(
    ("options", "told", "partner"),
    [
        ((), "EUCHRE_INSTANCE=1", True),
        (("--game", "buck"), "EUCHRE_INSTANCE=1", False),
        (("--game", "buck", "--game", "bid"), "EUCHRE_INSTANCE=1", True),
        (("--tls",), "EUCHRE_TLS=1 EUCHRE_INSTANCE=1", True),
        (("--ca", "our ca.crt"), "EUCHRE_TLS_CA='our ca.crt' EUCHRE_INSTANCE=1", True),
        (
            ("--tls", "--client-cert", "c", "--client-key", "k"),
            "EUCHRE_TLS_CERT=c EUCHRE_TLS_KEY=k EUCHRE_INSTANCE=1",
            True,
        ),
    ],
)
def test_whoever_submits_is_told_how_to_start(run, monkeypatch, options, told, partner):
    """
    With what the bot needs to get in, and a partner only where there are partners.
    """

    async def submit(*_, **__):
        return Admission("mine", "secret")

    async def list_bots(*_, **__):
        return ()

    monkeypatch.setattr(submitting, "keep_token", lambda *_: "mine.token")
    monkeypatch.setattr(client, "submit", submit)
    monkeypatch.setattr(client, "list_bots", list_bots)
    code, out, _ = run("submit", "Mine", *options)
    assert 0 == code
    address = "EUCHRE_REFEREE=127.0.0.1:50117"
    assert f"  {address} EUCHRE_TOKEN=$(cat mine.token) {told} YOUR-BOT\n" in out
    assert partner == ("EUCHRE_INSTANCE=2" in out)
    assert "secret" not in out


class TestHelp:
    """
    Every command explains itself, and fits on a screen.
    """

    @pytest.mark.parametrize(
        "command",
        [
            "",
            *("serve", "submit", "upload", "bots", "watch"),
            *("check", "rules", "adjudicate", "verify"),
        ],
    )
    def test_help(self, run, monkeypatch, command):
        """
        Usage, what it does, and the exit codes, in 80 columns.
        """
        monkeypatch.setenv("COLUMNS", "80")
        code, out, err = run(*filter(None, [command]), "--help")

        assert (0, "") == (code, err)
        assert out.startswith(f"usage: referee {command}".rstrip())
        assert "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration" in out
        assert [] == [line for line in out.splitlines() if len(line) > 80]

    def test_every_command_is_in_the_overview(self, run):
        """
        `referee --help` names all that there are.
        """
        _, out, _ = run("--help")
        assert {"serve", "submit", "check", "rules", "adjudicate", "verify"} <= set(
            re.findall(r"^    ([a-z]+)", out, re.MULTILINE)
        )

    @pytest.mark.parametrize("arguments", [(), ("judge",), ("verify",), ("rules",)])
    def test_wrong_usage(self, run, arguments):
        """
        Exit code 2, and nothing on standard output.
        """
        code, out, err = run(*arguments)
        assert (2, "") == (code, out)
        assert err.startswith("usage: referee")


class TestRules:
    """
    `referee rules`: a game, a variant, or a league file.
    """

    @pytest.mark.parametrize("what", ["bid", "buck", "bid/standard"])
    def test_sheets(self, run, what):
        """
        In English, for both games.
        """
        code, out, err = run("rules", what)
        assert (0, "") == (code, err)
        assert "renege" in out

    def test_a_league_file(self, run, tmp_path):
        """
        The rules that this league plays; what differs from the default is marked.
        """
        file = tmp_path / "league.toml"
        file.write_text(
            '[league]\nid = "x"\ngame = "bid"\nsets = 1\n[rules]\nstick_the_dealer = true\n'
            + "".join(f'[[bots]]\nid = "{bot}"\ncommand = ["x"]\n' for bot in "ab")
        )
        code, out, _ = run("rules", file)
        assert 0 == code
        assert out != run("rules", "bid")[1]

    @pytest.mark.parametrize("what", ["skat", "missing.toml"])
    def test_what_there_is_not(self, run, what):
        """
        Exit code 2, one line.
        """
        code, out, err = run("rules", what)
        assert (2, "", 1) == (code, out, err.count("\n"))


class TestAdjudicate:
    """
    `referee adjudicate`: a scenario in, an answer out.
    """

    def test_a_file_and_standard_input_say_the_same(self, run, tmp_path):
        """
        FILE, `-`, and neither.
        """
        file = tmp_path / "deal.json"
        file.write_text(json.dumps(SCENARIO))
        code, out, err = run("adjudicate", file)

        assert (0, "") == (code, err)
        assert "awaiting" == json.loads(out)["status"]
        assert (0, out, "") == run("adjudicate", stdin=file.read_text())
        assert (0, out, "") == run("adjudicate", "-", stdin=file.read_text())

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"game": "skat"}, "game: must be one of"),
            ({"dealer": "X"}, "dealer: "),
            ({"rules": {"min_bid": 99}}, "rules.min_bid: "),
            ({"deck": "9C"}, "deck: must have 24 cards"),
            ({"actions": ["E bid 3", "E fly"]}, "actions[1]: unknown verb 'fly'"),
            ({"scores": {"XY": 1}}, "scores.XY: "),
            ({"more": 1}, "more: unknown key"),
        ],
    )
    def test_a_malformed_one_is_an_error_that_names_the_place(self, run, change, says):
        """
        Exit code 1, one line on standard error, no answer; under --jsonl the answer says it.
        """
        text = json.dumps({**SCENARIO, **change})
        code, out, err = run("adjudicate", stdin=text)

        assert (1, "", 1) == (code, out, err.count("\n"))
        assert err.startswith(f"referee: {says}")

        good = json.dumps(SCENARIO)
        code, out, err = run("adjudicate", "--jsonl", stdin=f"{good}\n{text}\n\n{good}\n")
        first, second, third = map(json.loads, out.splitlines())
        assert (0, "") == (code, err)
        assert first == third
        assert ["error"] == list(second)
        assert second["error"].startswith(says)

    @pytest.mark.parametrize("text", ["", "{", "[1]", '{"game":"bid","game":"bid"}', "NaN"])
    def test_what_is_no_scenario(self, run, text):
        """
        The place is the whole.
        """
        code, out, err = run("adjudicate", stdin=text)
        assert (1, "") == (code, out)
        assert err.startswith("referee: scenario: ")

    def test_the_shared_scenarios(self, run):
        """
        All of them, as lines, have the answers that stand beside them.
        """
        rows = [json.loads(line) for line in SCENARIOS.read_text().splitlines()[1:]]
        lines = "".join(json.dumps(row["scenario"]) + "\n" for row in rows)
        code, out, _ = run("adjudicate", "--jsonl", stdin=lines)

        assert 0 == code
        answers = [json.loads(line) for line in out.splitlines()]
        assert len(rows) == len(answers)
        for row, answer in zip(rows, answers, strict=True):
            if "error" in row["answer"]:
                assert ["error"] == list(answer)
            else:
                assert row["answer"] == answer

    def test_a_file_that_is_not_there(self, run, tmp_path):
        """
        The user's mistake: exit code 2.
        """
        code, out, err = run("adjudicate", tmp_path / "none.json")
        assert (2, "") == (code, out)
        assert "cannot be read" in err


class TestVerify:
    """
    `referee verify`: what it says when there is nothing to verify. The rest is in tests/verify.
    """

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "it ends where a header must stand"),
            ("{}", "line 1: is no header of an export (one game alone needs --secret)"),
            ("no", "line 1: is no JSON"),
        ],
    )
    def test_what_is_no_export(self, run, text, says):
        """
        Exit code 1 and the place.
        """
        code, out, err = run("verify", "-", stdin=text)
        assert (1, "") == (code, out)
        assert err.startswith(f"referee: {says}")

    @pytest.mark.parametrize(
        ("arguments", "text", "code", "says"),
        [
            (("--secret", "xyz"), "{}", 2, "--secret: must be hexadecimal"),
            (("--secret", "00"), "{}", 1, "game 1: not a record of a game"),
            (("--secret", "00"), "[]", 1, "game 1: not a record of a game"),
            (("--secret", "00"), '{"a":\n', 1, "line 1: is no JSON"),
        ],
    )
    def test_games_alone(self, run, arguments, text, code, says):
        """
        Wrong secrets and what is no game.
        """
        found, out, err = run("verify", "-", *arguments, stdin=text)
        assert (code, "") == (found, out)
        assert says in err

    def test_files_that_cannot_be_read(self, run, tmp_path):
        """
        None there, a folder, or another encoding: exit code 2.
        """
        other = tmp_path / "latin.jsonl"
        other.write_bytes(b"\xe9\n")
        for path in (tmp_path / "none", tmp_path, other):
            code, out, err = run("verify", path)
            assert (2, "", 1) == (code, out, err.count("\n"))
