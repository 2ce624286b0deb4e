"""
What a referee tells those who run it: its log, and its metrics.
"""

from __future__ import annotations

import json
import re
import socket
import urllib.error
import urllib.request
from collections import defaultdict
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs" / "operations.md"


def read(address):
    """
    Return what is served at *address*: samples by name and labels, and types by family.
    """
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    samples, types = {}, {}
    for family in text_string_to_metric_families(text):
        types[family.name] = family.type
        assert family.documentation
        for sample in family.samples:
            key = (sample.name, *sorted(sample.labels.values()))
            assert key not in samples
            samples[key] = sample.value
    return samples, types


@pytest.fixture
def wild(place):
    """
    A bot that answers what may not be answered, and dies once.
    """
    return place.bot(
        "wild",
        "    count = 0\n"
        "    def play(self, ask):\n"
        "        Mine.count += 1\n"
        "        if Mine.count == 9:\n"
        # Its processes may come here at the same time, and one of them shall die.
        "            try:\n                os.mkdir('died')\n"
        "            except FileExistsError:\n                pass\n"
        "            else:\n                os._exit(3)\n"
        "        return 99 if Mine.count % 5 == 0 else ask.play.legal_cards[0]\n",
    )


@pytest.fixture
def config(place, wild, first):
    """
    A file for `referee serve --config`, with metrics and a log of everything.
    """
    file = place.league(
        ("wild", wild, 'instances = 2\nname = "Wïld"'),
        ("good", first, "instances = 2"),
        open=True, sets=4, listen=place.address(),
    )  # fmt: skip
    path = place.path / "serve.toml"
    path.write_text(
        f'league = "{file.name}"\nmetrics = "{place.address()}"\n'
        '[log]\nlevel = "debug"\nformat = "json"\n'
    )
    return path


def address_of(config):
    """
    Where the metrics are.
    """
    return re.search('metrics = "(.+)"', config.read_text())[1]


def test_metrics_say_what_is_stored(place, config):
    """
    A real league with faults: what a parser reads agrees with the store.
    """
    process = place.start("serve", "--config", config, program="referee")
    place.wait(lambda: len(place.stored()) == 8, "all games are stored")
    where = address_of(config)
    key = ("euchre_games_stored_total",)
    place.wait(lambda: read(where)[0][key] == 8, "and counted")
    samples, types = read(where)

    results = [json.loads(row[0]) for row in place.ask("SELECT result FROM game")]
    endings = defaultdict(int)
    for (ending,) in place.ask("SELECT ending FROM game"):
        endings[ending] += 1
    seats = [row[0].split() for row in place.ask("SELECT seats FROM game ORDER BY id")]
    faults = defaultdict(int)
    for names, result in zip(seats, results, strict=True):
        for kind, by_seat in result.get("fault_kinds", {}).items():
            for bot, count in zip(names, by_seat, strict=True):
                faults[bot, kind] += count
    decisions = sum(sum(seat[1::2]) for result in results for seat in result["times"])
    for ending, count in endings.items():
        assert count == samples["euchre_games_total", ending]
    assert 0 < faults["wild", "unreadable"]
    for (bot, kind), count in faults.items():
        if count:
            assert count == samples["euchre_bot_faults_total", *sorted((bot, kind))]
    assert sum(sum(result["reneges"]) for result in results) == sum(
        samples["euchre_rulings_total", code] for code in ("renege", "stood", "upheld")
    )
    assert decisions == samples["euchre_decision_seconds_count",]
    assert decisions <= samples["euchre_decisions_total",]
    # An ask is sent once, or again to an instance that comes back.
    assert decisions - 50 < samples["euchre_frame_asks_sum",] < decisions + 50
    assert 0 < samples["euchre_turnaround_seconds_count",] <= samples["euchre_frame_asks_count",]
    assert 0 < samples["euchre_loop_lag_seconds_count",]
    assert 0 < samples["euchre_store_batch_seconds_count",] <= 8
    assert 0 == samples["euchre_tables",] == samples["euchre_draining",]
    assert 4 == samples["euchre_instances_connected",]
    assert 1 == sum(
        value for (name, *_), value in samples.items() if name == "euchre_stream_ends_total"
    )
    assert "histogram" == types["euchre_decision_seconds"]
    place.run("submit", "x", "--address", listen_of(place), program="referee")
    place.run("submit", "", "--address", listen_of(place), program="referee", code=1)
    samples = read(where)[0]
    for status in ("OK", "INVALID_ARGUMENT"):
        assert 1 == samples["euchre_calls_total", status, "SubmitBot"]
    for name in types:
        assert name in DOCS.read_text(), "every metric is explained"

    process.terminate()
    assert 0 == place.end_of(process)
    with pytest.raises(urllib.error.URLError):
        read(where)


def listen_of(place):
    """
    Where the league listens.
    """
    return re.search('listen = "(.+)"', (place.path / "small.toml").read_text())[1]


def test_every_event_is_one_line_and_explained(place, config):
    """
    JSON objects, one a line, with league and run bound, in the list of the documentation.
    """
    process = place.start("serve", "--config", config, program="referee")
    place.wait(lambda: len(place.stored()) == 8, "all games are stored")
    place.run("submit", "new", "--address", listen_of(place), program="referee")
    token = (place.path / "new.token").read_text().strip()
    process.terminate()
    assert 0 == place.end_of(process)
    text = process.err.read_text()
    assert token not in text
    assert text.replace("\n", "").isprintable()
    lines = text.splitlines()
    said = [line for line in lines if not line.startswith("{")]
    assert 3 == len(said), said  # the operator's token, where it listens, that it finishes
    events = [json.loads(line) for line in lines if line.startswith("{")]
    explained = dict(
        re.findall(r"^\| `([a-z_]+)` \| [^|]+ \| ([^|]*) \|", DOCS.read_text(), re.MULTILINE)
    )
    keys = {name: set(re.findall("`([a-z_]+)`", cell)) for name, cell in explained.items()}
    for event in events:
        assert ("small", 1) == (event.pop("league"), event.pop("run")), event
        assert {"timestamp", "level"} <= event.keys()
        more = event.keys() - {"timestamp", "level", "event"}
        assert more <= keys[event["event"]], event
    names = {event["event"] for event in events}
    assert {"instance_connected", "instance_lost", "ruling", "bot_died", "bot_submitted"} <= names
    assert {"game_over", "draining", "league_done"} <= names
    assert 8 == sum(event["event"] == "game_over" for event in events)
    ruling = next(event for event in events if event["event"] == "ruling")
    assert "wild" == ruling["bot"]
    assert {"instance", "set", "sitting", "deal", "seat"} <= ruling.keys()


def test_every_event_of_the_source_is_in_the_list():
    """
    Whatever is logged anywhere, with any keys.
    """
    source = DOCS.parents[1]
    found = set()
    for path in (*source.glob("referee/**/*.py"), *source.glob("tournaments/**/*.py")):
        found |= set(
            re.findall(
                r"log(?:ger\([^)]*\))?\.(?:log|debug|info|warning|error|exception)\([^\"]*?\"([a-z_]+)\"",
                path.read_text(),
            )
        )
    listed = set(
        re.findall(
            r"^\| `([a-z_]+)` \| (?:debug|info|warning|error)", DOCS.read_text(), re.MULTILINE
        )
    )
    assert {"game_over", "bot_died", "incident"} <= found
    assert set() == found - listed


@pytest.mark.parametrize(
    ("metrics", "words"),
    [("192.0.2.1:9464", "insecure = true"), ("taken", "cannot listen at")],
)
def test_an_address_that_cannot_be(place, config, metrics, words):
    """
    One line that names the key, exit code 2, and no bot is left.
    """
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}" if metrics == "taken" else metrics
        config.write_text(config.read_text().replace(address_of(config), where))
        done = place.run("serve", "--config", config, program="referee", code=2)
    last = done.stderr.splitlines()[-1]
    assert "metrics: " in last
    assert words in last
    assert [] == place.processes()
    # It was seen before anything was begun.
    assert [(0,)] == place.ask("SELECT count(*) FROM run")


def test_the_command_line_is_stronger_than_the_file(place, config):
    """
    `--log-level` of the command, `level` of the file, and then `info`.
    """
    process = place.start("serve", "--config", config, "--log-level", "error", program="referee")
    place.wait(lambda: len(place.stored()) == 8, "all games are stored")
    process.terminate()
    assert 0 == place.end_of(process)
    assert "game_over" not in process.err.read_text()
