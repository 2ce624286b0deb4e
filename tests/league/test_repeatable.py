"""
A seed fixes everything but time: decks, games, standings.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


LEAGUES = {
    "bid": ("bid", "ab", {"sets": 6}, 12),
    "buck": ("buck", "abcd", {"sets": 3}, 12),
    "swiss": ("bid", "abcde", {"format": "swiss", "rounds": 2, "sets": 3}, 24),
    "individual": ("bid", "abcde", {"format": "individual", "sets": 1}, 10),
    "gauntlet": ("bid", "abcde", {"format": "gauntlet", "newcomer": "c", "sets": 2}, 16),
    "sample": ("buck", "abcde", {"sample": 2, "sets": 1}, 20),
}
"""Game, bots and keys of leagues that are over in a moment, and how many games are played.

What `[stop]` adds is in test_stop.py."""


@pytest.fixture(params=LEAGUES)
def league(request):
    """
    The name of each league.
    """
    return request.param


@pytest.fixture
def file(place, league, first, last):
    """
    Its file.
    """
    game, ids, keys, _ = LEAGUES[league]
    count = 2 if game == "bid" and league != "individual" else 1
    bots = [
        (bot, (first, last)[number % 2], f"instances = {count}") for number, bot in enumerate(ids)
    ]
    return place.league(*bots, game=game, **{"hands": 3 if game == "bid" else 8, **keys})


def played(place, url):
    """
    All games of a store with their records; each database sorts text in its own way.
    """
    where = url if url.startswith("postgresql") else url.removeprefix("sqlite:///")
    return sorted(place.ask("SELECT fixture, record FROM game", where))


class TestOneSeed:
    """
    The same seed again.
    """

    def test_nothing_but_the_seed_shows(self, place, league, file, backends, store_url):
        """
        Standings and records know nothing of tables, hash seeds, databases, and kills.

        What was killed goes on as it would have: results that are stored decide nothing anew.
        """
        games_in_all = LEAGUES[league][-1]
        urls = ["sqlite:///0.db", store_url(backends[-1]), "sqlite:///2.db"]
        tables, games = [], []
        for count, hashes, url in zip(("1", "8", "64"), "012", urls, strict=True):
            options = (file, "--seed", "s", "--tables", count, "--store", url)
            env = {"PYTHONHASHSEED": hashes}
            if url == urls[1]:
                killed = place.start("run", *options, env=env, patch=place.hold(games_in_all // 2))
                place.wait(
                    lambda url=url: len(played(place, url)) >= games_in_all // 3, "some are stored"
                )
                killed.kill()
                killed.wait()
                place.nobody_left()
                assert len(played(place, url)) < games_in_all
            tables.append(place.json("resume", *options, env=env))
            games.append(dict(played(place, url)))
            assert "verified: " in place.run("verify", file, "--store", url).stdout
        assert tables[0] == tables[1] == tables[2]
        assert games_in_all == len(games[0])
        assert games[0] == games[1] == games[2]


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

    def test_without_a_seed_runs_differ_and_the_commitment_holds(self, place, first, last):
        """
        Decks are secret until the end; then the secret is shown, and differs between runs.
        """
        file = place.league(("a", first, "instances = 2"), ("b", last, "instances = 2"))
        one, two = place.json("run", file), place.json("run", file)
        assert one["run"]["secret"] != two["run"]["secret"]
        assert one["run"]["commitment"] != two["run"]["commitment"]
        assert not one["run"]["seeded"]
