"""
A seed fixes everything but time: decks, games, standings.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(params=["bid", "buck"])
def file(request, place, first, last):
    """
    A league of each game that is over in a moment.
    """
    if request.param == "bid":
        bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
        return place.league(*bots, sets=6, hands=3)
    scripts = {"a": first, "b": last, "c": first, "d": last}
    bots = [(bot, script, "instances = 1") for bot, script in scripts.items()]
    return place.league(*bots, game="buck", sets=3, hands=8)


@pytest.fixture
def urls(backends, store_url):
    """
    Three stores that are not there yet, on all the databases that there are.
    """
    return ["sqlite:///0.db", store_url(backends[-1]), "sqlite:///2.db"]


class TestOneSeed:
    """
    The same seed again.
    """

    def test_tables_hash_seeds_and_databases_change_nothing(self, place, file, urls):
        """
        None of them shows in standings and records.
        """
        found = []
        for tables, hashes, url in zip(("1", "8", "64"), "012", urls, strict=True):
            table = place.json(
                *("run", file, "--seed", "s", "--tables", tables, "--store", url),
                env={"PYTHONHASHSEED": hashes},
            )
            where = url if url.startswith("postgresql") else url.removeprefix("sqlite:///")
            # Each database sorts text in its own way.
            games = sorted(place.ask("SELECT fixture, record FROM game", where))
            found.append((table, games))
        assert 12 == len(found[0][1])
        assert found[0] == found[1]
        assert found[0] == found[2]


class TestTwoSeeds:
    """
    Seeds that are not the same.
    """

    def test_neighbouring_seeds_share_no_deck(self, place, first, last):
        """
        Seeds 7 and 8 give other hands in every deal, and so do the sets of one run.
        """
        bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
        file = place.league(*bots, sets=3, hands=3)
        decks = []
        for seed in ("7", "8"):
            place.run("run", file, "--seed", seed)
            for number in (1, 2, 3):
                text = place.run("show", f"a:b/{number}a").stdout
                decks += [
                    tuple(deal.splitlines()[1:5]) for deal in text.split("\n\n") if "Deal" in deal
                ]
        assert 18 == len(decks)
        assert len(decks) == len(set(decks))

    def test_without_a_seed_runs_differ_and_the_commitment_holds(self, place, file):
        """
        Decks are secret until the end; then the secret is shown, and differs between runs.
        """
        one, two = place.json("run", file), place.json("run", file)
        assert one["run"]["secret"] != two["run"]["secret"]
        assert one["run"]["commitment"] != two["run"]["commitment"]
        assert not one["run"]["seeded"]
