"""
Who plays whom in a gauntlet, with changing partners, in a sample of fours, in Swiss rounds.
"""

from __future__ import annotations

import itertools
import time
import tracemalloc
from collections import Counter

import pytest

from referee.errors import ConfigError
from tournaments.pairing import balance, count, cyclic, fixtures
from tournaments.pairing.swiss import _pairs
from tournaments.ranking import standings
from tournaments.tally import Tally


def ids(number):
    """
    b00 b01 ... so that their order is that of their numbers.
    """
    return " ".join(f"b{n:03}" for n in range(number))


def partners_of(fixture):
    """
    Both pairs of partners.
    """
    north, east, south, west = fixture.seats
    return frozenset((north, south)), frozenset((east, west))


class TestGauntlet:
    """
    One against the field.
    """

    def test_the_newcomer_plays_everybody_and_nobody_else_plays(self, make_league):
        """
        As often as the league has sets, from both sides.
        """
        league = make_league("bid", "a b c d", format="gauntlet", newcomer="c", sets=3)
        played = Counter(each.match_id for each in fixtures(league))
        assert {"a:c": 6, "b:c": 6, "c:d": 6} == played
        assert 18 == count(league)

    def test_in_buck_it_sits_at_every_table(self, make_league):
        """
        With every three of the others.
        """
        league = make_league("buck", "a b c d e", format="gauntlet", newcomer="b", sets=1)
        played = list(fixtures(league))
        assert all("b" in each.seats for each in played)
        assert 4 == len({each.match_id for each in played})
        assert 16 == len(played) == count(league)

    def test_games_are_those_of_a_round_robin(self, make_league):
        """
        With the same decks, so that results can be compared.
        """
        whole = {each.id: each for each in fixtures(make_league("bid", "a b c"))}
        league = make_league("bid", "a b c", format="gauntlet", newcomer="a")
        assert all(whole[each.id] == each for each in fixtures(league))

    def test_who_beats_the_newcomer_stands_above_it(self, make_league, make_row):
        """
        Its margins against the weak, whom nobody else meets, do not carry it past the strong.
        """
        league = make_league("bid", "good new bad", format="gauntlet", newcomer="new", sets=12)
        tally = Tally(league)
        for fixture in fixtures(league):
            upset = fixture.set_id.endswith(("3", "7"))
            mine = (1 if upset else -1) if "good" in fixture.seats else (40, -1)[upset]
            theirs = (mine, 0) if fixture.seats[0] == "new" else (0, mine)
            tally.add(make_row(fixture, *theirs))
        bots = [(each.id, each.name) for each in league.entrants]
        found = standings(league, bots, tally, run=1, commitment="", seeded=False)
        assert [row.bot for row in found.rows] == ["good", "new", "bad"]
        assert found.rows[1].margin > found.rows[0].margin
        assert found.rows[0].superiority > 0.5
        assert "Ranked and told apart by rating" in found.notes[0]
        assert "do not meet each other" in found.notes[1]

    def test_the_standings_of_buck_say_who_sat_with_whom(self, make_league):
        """
        There the others do meet each other.
        """
        league = make_league("buck", "a b c d e", format="gauntlet", newcomer="b")
        bots = [(each.id, each.name) for each in league.entrants]
        found = standings(league, bots, Tally(league), run=1, commitment="", seeded=False)
        assert found.notes[1] == "Gauntlet: b sits at every table, with every three of the others."


class TestIndividual:
    """
    Partners change.
    """

    @pytest.mark.parametrize("bots", range(4, cyclic.EXACT + 1))
    def test_everybody_partners_everybody_equally_often(self, bots):
        """
        Once or twice, and opposes everybody twice as often: for every number of bots.
        """
        games = list(cyclic.whist(bots).play())
        partners = Counter(tuple(sorted(pair)) for a, b, c, d in games for pair in ((a, b), (c, d)))
        opponents = Counter(
            tuple(sorted((x, y))) for a, b, c, d in games for x in (a, b) for y in (c, d)
        )
        pairs = list(itertools.combinations(range(bots), 2))
        often = 1 if bots % 4 in (0, 1) and bots != 9 else 2
        assert dict.fromkeys(pairs, often) == partners
        assert dict.fromkeys(pairs, 2 * often) == opponents
        assert all(4 == len(set(game)) for game in games)

    def test_a_whist_tournament_of_thirteen_has_rounds(self):
        """
        Moore's: in each shift everybody plays once, but for one who sits out.
        """
        games = list(cyclic.whist(13).play())
        for shift in range(13):
            seated = [bot for game in games[3 * shift : 3 * shift + 3] for bot in game]
            assert set(range(13)) - {shift} == set(seated)
            assert 12 == len(seated)

    def test_a_set_is_played_from_both_sides(self, make_league):
        """
        The second sitting gives each pair the cards of the other, in other suits.
        """
        league = make_league("bid", "a b c d e", format="individual", sets=2)
        scheduled = list(fixtures(league))
        assert count(league) == len(scheduled) == 2 * 5 * 2
        assert len(scheduled) == len({each.id for each in scheduled})
        for first, second in zip(scheduled[::2], scheduled[1::2], strict=True):
            assert first.set_id == second.set_id
            assert first.seats == (*second.seats[1:], second.seats[0])
            assert partners_of(first) == partners_of(second)[::-1]
            assert (0, True) == (first.disguise, second.disguise > 0)
        assert {"a+b:c+d/1"} & {scheduled[0].set_id} or "+" in scheduled[0].set_id

    def test_points_go_to_the_bot(self, make_league, make_row):
        """
        To both partners alike; won and lost too.
        """
        league = make_league("bid", "a b c d", format="individual", sets=1)
        tally = Tally.of(league, [make_row(each, 32, 10) for each in fixtures(league)])
        sums = {bot: each.whole for bot, each in tally.bots.items()}
        assert dict.fromkeys("abcd", 6) == {bot: each.games for bot, each in sums.items()}
        assert 12 == sum(each.won for each in sums.values())
        assert all(each.points_for + each.points_against == 6 * 42 for each in sums.values())
        assert 3 == tally.sets

    @pytest.mark.parametrize(
        ("faults", "blamed"),
        [((3, 0, 2, 0), (1, 0)), ((1, 0, 3, 0), (0, 1)), ((2, 0, 2, 0), (1, 1))],
        ids=["north", "south", "all have left"],
    )
    def test_a_forfeit_is_that_of_one_partner(self, make_league, make_row, faults, blamed):
        """
        The other one loses the game too, but has not forfeited it.
        """
        league = make_league("bid", "a b c d", format="individual", sets=1)
        fixture = next(fixtures(league))
        row = make_row(fixture, 0, 32, forfeits=(0,), faults=faults, ending="forfeit")
        tally = Tally.of(league, [row])
        north, _, south, _ = (tally.bots[bot].whole for bot in fixture.seats)
        assert blamed == (north.forfeits, south.forfeits)
        assert (1, 1) == (north.lost, south.lost)
        assert 1 == tally.forfeited

    def test_one_instance_is_enough(self, make_league):
        """
        For partners are different bots; two let a set be played at the same time.
        """
        league = make_league("bid", "a b c d", format="individual")
        assert (4, 1, 1, 2) == (
            league.players,
            league.seats_of_bot,
            league.instances_needed,
            league.instances_of(league.entrants[0]),
        )


class TestSample:
    """
    Some fours out of too many.
    """

    @pytest.mark.parametrize(("bots", "sample"), [(8, 20), (13, 26), (20, 60), (30, 200)])
    def test_everybody_plays_alike_and_meets_everybody_alike(self, make_league, bots, sample):
        """
        To one meeting, and no four comes twice.
        """
        league = make_league("buck", ids(bots), sample=sample, sets=1)
        fours = [each.seats for each in fixtures(league) if each.sitting == 0]
        assert sample <= len(fours) < sample + bots
        assert len(fours) == len({frozenset(four) for four in fours})
        games = Counter(bot for four in fours for bot in four)
        assert 1 == len(set(games.values()))
        found = balance(league)
        assert found is not None
        assert found.partners is None
        assert found.opponents[1] - found.opponents[0] <= 1

    def test_a_sample_of_more_than_half_is_all(self, make_league):
        """
        Then there is nothing to balance.
        """
        league = make_league("buck", ids(6), sample=8, sets=1)
        assert 15 == len({each.match_id for each in fixtures(league)})
        assert balance(league) is None

    @pytest.mark.parametrize(
        ("game", "form"),
        [
            ("bid", {}),
            ("bid", {"format": "individual"}),
            ("bid", {"format": "gauntlet", "newcomer": "b007"}),
            ("bid", {"format": "swiss", "rounds": 9}),
            ("buck", {}),
            ("buck", {"format": "gauntlet", "newcomer": "b007"}),
            ("buck", {"sample": 2000}),
        ],
    )
    def test_two_hundred_start_in_under_a_second_and_in_little_memory(
        self, make_league, game, form
    ):
        """
        Whatever the format; a schedule is not made before it is read, and is not kept.
        """
        league = make_league(game, ids(200), sets=10, **form)
        began = time.process_time()
        assert next(fixtures(league)).sitting == 0
        assert count(league) > 1000
        assert time.process_time() - began < 1
        tracemalloc.start()
        try:
            for _ in itertools.islice(fixtures(league), 5000):
                pass
            (_, most) = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most < 2_000_000


class TestSwiss:
    """
    Round after round.
    """

    @staticmethod
    def play(league, better, make_row):
        """
        Play a league out; *better* says who wins. Returns the fixtures in order.
        """
        tally = Tally(league)
        played = []
        for fixture in fixtures(league, look=tally.look):
            played.append(fixture)
            north, east, *_ = fixture.seats
            won = better(north, east)
            tally.add(make_row(fixture, *((32, 10) if won else (10, 32))))
        return played

    @pytest.mark.parametrize(("bots", "rounds"), [(2, 1), (5, 2), (8, 4), (9, 4), (20, 10)])
    def test_nobody_meets_anybody_twice(self, make_league, make_row, bots, rounds):
        """
        Everybody has an opponent in every round, but for one of an odd number; and not twice.
        """
        league = make_league("bid", ids(bots), format="swiss", rounds=rounds, sets=1)
        played = self.play(league, lambda one, other: one < other, make_row)
        matches = [each.match_id for each in played if each.sitting == 0]
        assert count(league) == len(played)
        assert len(matches) == len(set(matches)) == rounds * (bots // 2)
        opponents = Counter(bot for match in matches for bot in match.split(":"))
        least = rounds - bots % 2
        assert set(opponents.values()) <= {least, rounds}
        assert bots % 2 * rounds == sum(each == least for each in opponents.values()) * (bots % 2)

    def test_who_stands_alike_meets(self, make_league, make_row):
        """
        After two rounds of eight the two that won twice meet, and the two that lost twice.
        """
        league = make_league("bid", ids(8), format="swiss", rounds=3, sets=1)
        played = self.play(league, lambda one, other: one < other, make_row)
        second = {each.match_id for each in played[8:16]}
        assert {"b000:b001", "b002:b003", "b004:b005", "b006:b007"} == second
        third = {each.match_id for each in played[16:]}
        assert {"b000:b002", "b005:b007"} <= third

    def test_the_last_has_the_bye_and_it_counts_as_won(self, make_league, make_row):
        """
        Only for the pairing: where everybody has drawn, who had it meets the first.
        """
        league = make_league("bid", ids(7), format="swiss", rounds=3, sets=1)
        tally, played = Tally(league), []
        for fixture in fixtures(league, look=tally.look):
            played.append(fixture)
            tally.add(make_row(fixture, 20, 20))
        rounds = [{each.match_id for each in played[start : start + 6]} for start in (0, 6, 12)]
        bots = set(ids(7).split())
        free = [bots - {bot for match in each for bot in match.split(":")} for each in rounds]
        assert [{"b006"}, {"b005"}] == free[:2]
        assert free[2] < {"b001", "b002", "b003", "b004"}
        assert "b000:b006" in rounds[1]
        assert 4 == tally.bots["b006"].whole.games

    def test_the_schedule_waits_for_results_and_is_the_same_again(self, make_league, make_row):
        """
        As far as it is known it is a pure function of what is stored.
        """
        league = make_league("bid", ids(6), format="swiss", rounds=3, sets=2)
        assert 3 * 2 * 2 == len(list(fixtures(league)))
        tally = Tally(league)
        first = list(fixtures(league, look=tally.look))
        for fixture in first[:-1]:
            tally.add(make_row(fixture, 32, 0))
        assert first == list(fixtures(league, look=tally.look))
        tally.add(make_row(first[-1], 0, 0, ending="void", winners=()))
        more = list(fixtures(league, look=tally.look))
        assert (first, 24) == (more[:12], len(more))
        assert more == list(fixtures(league, look=tally.look))

    def test_who_is_better_goes_by_what_ranks(self, make_league, make_row):
        """
        Margins against stronger opponents are smaller, and say nothing of who is better.
        """
        league = make_league("bid", ids(8), format="swiss", rounds=3, sets=8)
        tally = Tally(league)
        for fixture in fixtures(league, look=tally.look):
            north, east = (int(each[1:]) for each in fixture.seats[:2])
            # Close against whoever is near, high against the last; now and then an upset.
            gap = 1 if max(north, east) < 6 else 40
            upset = fixture.set_id.endswith("3")
            won = (north < east) != upset
            tally.add(make_row(fixture, *((32, 32 - gap) if won else (32 - gap, 32))))
        bots = [(each, each) for each in ids(8).split()]
        found = standings(league, bots, tally, run=1, commitment="", seeded=False)
        assert sorted((row.rating for row in found.rows), reverse=True) == [
            row.rating for row in found.rows
        ]
        margins = [row.margin for row in found.rows]
        assert margins != sorted(margins, reverse=True)
        assert all(row.superiority >= 0.5 for row in found.rows[:-1])
        assert "a" in found.rows[1].tie

    def test_a_pairing_is_found_when_only_far_ones_are_left(self):
        """
        Everybody has met all that are near.
        """
        order = [f"b{n:02}" for n in range(40)]
        met = {
            frozenset((one, other))
            for (place, one), (at, other) in itertools.combinations(enumerate(order), 2)
            if at - place < 15
        }
        pairs = _pairs(order, dict.fromkeys(order, 0), met)
        assert 20 == len(pairs)
        assert all(frozenset(pair) not in met for pair in pairs)


@pytest.mark.parametrize(
    ("game", "keys", "key", "word"),
    [
        ("bid", {"format": "knockout"}, "league.format", "has no format"),
        ("buck", {"format": "individual"}, "league.format", "has no format"),
        ("bid", {"format": "gauntlet"}, "league.newcomer", "is missing"),
        ("bid", {"format": "gauntlet", "newcomer": "x"}, "league.newcomer", "no bot 'x'"),
        ("bid", {"newcomer": "a"}, "league.newcomer", "means nothing"),
        ("bid", {"sample": 3}, "league.sample", "means nothing"),
        ("buck", {"sample": 0}, "league.sample", "at least 1"),
        ("bid", {"format": "swiss"}, "league.rounds", "is missing"),
        ("bid", {"format": "swiss", "rounds": 3}, "league.rounds", "from 1 to 2 with 4 bots"),
        ("bid", {"rounds": 2}, "league.rounds", "means nothing"),
        ("bid", {"format": "individual", "open": True}, "league.format", "open league"),
    ],
)
def test_what_cannot_be_played_is_refused(make_league, game, keys, key, word):
    """
    With the key that is wrong.
    """
    with pytest.raises(ConfigError, match=word) as caught:
        make_league(game, "a b c d", **keys)
    assert key == caught.value.key


def test_old_runs_keep_their_fingerprint(make_league):
    """
    A league that says nothing of these keys is the league that it was before there were any.
    """
    assert "f13dab193da80c5f" == make_league("bid", "a b").fingerprint()[:16]
    assert "4bccc580ffe5870b" == make_league("buck", "a b c d").fingerprint()[:16]
