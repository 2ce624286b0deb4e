"""
A league: what is played, by whom, how often, and within which limits. Pure.

A `League` that exists is playable: it checks itself when it is built, so nobody
behind it has to. Reading one from a file is `tournaments.files`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from referee.errors import ConfigError
from referee.rules.variants import GAMES
from referee.seats import SEATS
from tournaments.limits import Limits
from tournaments.names import ID_RULE, is_address, is_id, name_fault

if TYPE_CHECKING:
    from referee.rules.options import Rules
    from tournaments.stopping import Stop

FORMATS = {
    "bid": {
        "round_robin": "every two bots, as teams",
        "gauntlet": "one bot against every other, as teams",
        "individual": "partners change: everybody with and against everybody",
        "swiss": "round after round, teams that stand alike and have not met",
    },
    "buck": {
        "table": "every four bots, or a balanced sample of fours",
        "gauntlet": "every four with one bot among them",
    },
}
"""Who plays whom, by game; the first is what a league plays that does not say."""

OPEN_FORMATS = ("round_robin", "table")
"""Formats whose schedule only grows when somebody comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """
    A bot that the league file names.
    """

    id: str
    """Its key everywhere; unique in the league."""
    name: str
    """For people; two bots may have the same."""
    command: tuple[str, ...] | None = None
    """Program and arguments, `{python}` for our interpreter; None: it connects from outside."""
    instances: int | None = None
    """How many connections it plays from; None: as many as a set asks for, see `League`."""
    env: tuple[tuple[str, str], ...] = ()
    """Added to the environment of its program."""
    cwd: str = ""
    """Working folder of its program."""

    @property
    def outside(self) -> bool:
        """
        Whether it is not launched but connects by itself.
        """
        return self.command is None


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """
    A checked league.

    Raises:
        ConfigError: Something in it cannot be played; the error names the key as it stands in
            a league file.
    """

    id: str
    name: str
    rules: Rules
    """The game and its options."""
    entrants: tuple[Entrant, ...]
    """In order of entry."""
    sets: int
    """Sets for each match: deck sequences for each pair of bots (Bid) or each four (Buck)."""
    format: str = ""
    """Who plays whom, one of `FORMATS`; left out: everybody against everybody."""
    newcomer: str | None = None
    """In a `gauntlet`: the id of the bot that plays against all others."""
    sample: int | None = None
    """In a `table`: how many fours to play, at least, instead of all; None: all."""
    rounds: int | None = None
    """In a `swiss`: how many opponents each bot meets."""
    limits: Limits = field(default_factory=Limits)
    mirrored: bool = True
    """Whether each set is played by all seatings; otherwise each game is a set of its own."""
    disguise: bool = True
    """Whether the second sitting of a set wears other suits (Bid only)."""
    shared_instances: bool = False
    """Whether one instance may answer for both seats of a team."""
    open: bool = False
    """Whether bots that the file does not name may be submitted."""
    stop: Stop | None = None
    """Test that ends a match early (Bid only); None: all sets are played."""
    transport: Literal["unix", "tcp"] = "unix"
    """How launched bots reach the referee."""
    listen: str | None = None
    """Where to listen for bots from outside, `host:port`; None: nowhere."""
    seed: str | None = None
    """Makes the decks repeatable, and predictable; None: a fresh secret for each run."""
    wait: float = 60.0
    """Seconds that a run waits for bots from outside before its first game."""
    tables: int = 64
    """Games at once."""

    def __post_init__(self) -> None:
        if not self.format:
            object.__setattr__(self, "format", next(iter(FORMATS[self.game])))
        self._check_numbers()
        self._check_entrants()
        self._check_format()

    # --- what follows from it ------------------------------------------------------------

    @property
    def game(self) -> str:
        """
        `bid` or `buck`.
        """
        return self.rules.game

    @property
    def title(self) -> str:
        """
        What people call the game.
        """
        return GAMES[self.game].title

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """
        The seats of each side.
        """
        return tuple(tuple(map(int, seats)) for seats in GAMES[self.game].deal.sides)

    @property
    def players(self) -> int:
        """
        Bots in a game: one a side, so 2 in Bid and 4 in Buck; but 4 where partners change.
        """
        return len(SEATS) if self.format == "individual" else len(self.sides)

    @property
    def seats_of_bot(self) -> int:
        """
        Seats that one bot has in a game: 2 in Bid, unless partners change, and 1 in Buck.
        """
        return len(SEATS) // self.players

    @property
    def sittings(self) -> int:
        """
        Games of a set: one for each seating, or 1 if nothing is mirrored.
        """
        return len(self.sides) if self.mirrored else 1

    @property
    def disguised(self) -> bool:
        """
        Whether sittings of a set really wear different suits.

        Clubs are special in Buck, so its suits stay (architecture, decision 10).
        """
        return self.disguise and self.mirrored and self.game == "bid"

    @property
    def instances_needed(self) -> int:
        """
        Instances without which a bot cannot play.
        """
        return 1 if self.shared_instances else self.seats_of_bot

    def instances_of(self, entrant: Entrant) -> int:
        """
        Return how many instances of *entrant* to start, or to wait for.

        A launched bot has by default as many as one set has seats for it, so that
        no instance meets a deck twice. A bot from outside must not have more than it
        needs to play at all.
        """
        if entrant.instances is not None:
            return entrant.instances
        if entrant.outside:
            return self.instances_needed
        return self.seats_of_bot * self.sittings

    def with_seed(self, seed: str | None) -> League:
        """
        Return this league with another seed.
        """
        return dataclasses.replace(self, seed=seed)

    def fingerprint(self) -> str:
        """
        Return a hash of all that shapes the results, in hexadecimal.

        An interrupted run is only continued by a league with the same fingerprint.
        Names for people, the order of the bots, where the file lies, and how many
        games run at once are not in it. Neither is the seed: it may come from the
        command line, so it is kept beside the fingerprint and compared by itself.
        """
        shape: dict[str, Any] = {
            "schema": 1,
            "game": self.game,
            "rules": self.rules.options(every=True),
            "format": self.format,
            "sets": self.sets,
            "mirrored": self.mirrored,
            "disguise": self.disguise,
            "shared_instances": self.shared_instances,
            "open": self.open,
            "limits": self.limits.shape(),
            "bots": [
                {
                    "id": entrant.id,
                    "command": entrant.command,
                    "instances": self.instances_of(entrant),
                    "env": sorted(entrant.env),
                }
                for entrant in sorted(self.entrants, key=lambda each: each.id)
            ],
        }
        # What was not there in the first version is left out where it says nothing new, so
        # that runs which were begun then can be continued.
        for name in ("newcomer", "sample", "rounds"):
            if getattr(self, name) is not None:
                shape[name] = getattr(self, name)
        if self.stop is not None:
            shape["stop"] = dataclasses.asdict(self.stop)
        text = json.dumps(shape, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    # --- checks --------------------------------------------------------------------------

    def _check_numbers(self) -> None:
        if not is_id(self.id):
            raise ConfigError(f"{self.id!r} is no id", key="league.id", hint=f"an id is {ID_RULE}")
        fault = name_fault(self.name)
        if fault:
            raise ConfigError(fault, key="league.name")
        if self.transport not in ("unix", "tcp"):
            raise ConfigError(
                f"must be 'unix' or 'tcp', not {self.transport!r}", key="league.transport"
            )
        if self.listen is not None and not is_address(self.listen):
            raise ConfigError(
                f"must be host:port, not {self.listen!r}",
                key="league.listen",
                hint="127.0.0.1:50117",
            )
        for name, value, low, high in (
            ("sets", self.sets, 1, 1_000_000),
            ("tables", self.tables, 1, 10_000),
            ("wait", self.wait, 0, 1_000_000),
        ):
            if not low <= value <= high:
                raise ConfigError(
                    f"must be from {low} to {high}, not {value:g}", key=f"league.{name}"
                )

        self._check_stop()

    def _check_stop(self) -> None:
        if self.stop is None:
            return
        if self.players != 2:
            raise ConfigError(
                f"ends a match of two, and here there are {self.players}",
                key="stop",
                hint="leave [stop] out",
            )
        if self.format == "swiss":
            raise ConfigError(
                "ends matches early, and a round needs all games of the one before",
                key="stop",
                hint="leave [stop] out",
            )
        if self.stop.min_sets > self.sets:
            raise ConfigError(
                f"must be at most the number of sets, {self.sets}, not {self.stop.min_sets}",
                key="stop.min_sets",
            )

    def _check_entrants(self) -> None:
        counts = Counter(entrant.id for entrant in self.entrants)
        for number, entrant in enumerate(self.entrants, 1):
            key = f"bots[{number}]"
            if not is_id(entrant.id):
                raise ConfigError(
                    f"{entrant.id!r} is no id", key=f"{key}.id", hint=f"an id is {ID_RULE}"
                )
            if entrant.id == "operator":
                raise ConfigError(
                    "is the name of whoever runs the league", key=f"{key}.id", hint="choose another"
                )
            if counts[entrant.id] > 1:
                raise ConfigError(
                    f"two bots have the id {entrant.id!r}",
                    key=f"{key}.id",
                    hint="ids are keys; names may be alike",
                )
            fault = name_fault(entrant.name)
            if fault:
                raise ConfigError(fault, key=f"{key}.name")
            self._check_instances(entrant, f"{key}.instances")
        least = 0 if self.open else self.players
        if len(self.entrants) < least:
            raise ConfigError(
                f"{self.title} needs at least {least} bots, and there "
                f"{'is' if len(self.entrants) == 1 else 'are'} {len(self.entrants)}",
                key="bots",
                hint="add [[bots]] entries, or set open = true to let others submit theirs",
            )

    def _check_format(self) -> None:
        formats = FORMATS[self.game]
        if self.format not in formats:
            raise ConfigError(
                f"{self.title} has no format {self.format!r}",
                key="league.format",
                hint=f"one of {', '.join(formats)}",
            )
        if self.open and self.format not in OPEN_FORMATS:
            raise ConfigError(
                f"cannot be {self.format!r} in an open league, whose field grows",
                key="league.format",
                hint=f"one of {', '.join(each for each in formats if each in OPEN_FORMATS)}",
            )
        for name, wanted in (("newcomer", "gauntlet"), ("sample", "table"), ("rounds", "swiss")):
            if getattr(self, name) is not None and self.format != wanted:
                raise ConfigError(
                    f"means nothing in a {self.format}",
                    key=f"league.{name}",
                    hint=f'format = "{wanted}"',
                )
        if self.format == "gauntlet":
            self._check_newcomer()
        if self.sample is not None:
            self._check_sample(self.sample)
        if self.format == "swiss":
            self._check_rounds()

    def _check_newcomer(self) -> None:
        ids = [entrant.id for entrant in self.entrants]
        if self.newcomer not in ids:
            raise ConfigError(
                "is missing" if self.newcomer is None else f"there is no bot {self.newcomer!r}",
                key="league.newcomer",
                hint=f"the id of the bot that plays against all others: {', '.join(ids)}",
            )

    def _check_sample(self, sample: int) -> None:
        if self.open:
            raise ConfigError(
                "means nothing in an open league, whose field grows", key="league.sample"
            )
        if sample < 1:
            raise ConfigError(f"must be at least 1, not {sample}", key="league.sample")

    def _check_rounds(self) -> None:
        # Up to here there is always a pairing without a second meeting (Dirac's theorem).
        most = max(1, len(self.entrants) // 2)
        if self.rounds is None:
            raise ConfigError(
                "is missing",
                key="league.rounds",
                hint=f"how many opponents each bot meets, 1 to {most}",
            )
        if not 1 <= self.rounds <= most:
            raise ConfigError(
                f"must be from 1 to {most} with {len(self.entrants)} bots, not {self.rounds}",
                key="league.rounds",
                hint="a round robin is what lets everybody meet",
            )

    def _check_instances(self, entrant: Entrant, key: str) -> None:
        count = self.instances_of(entrant)
        if not self.instances_needed <= count <= self.limits.max_instances:
            raise ConfigError(
                f"must be from {self.instances_needed} to {self.limits.max_instances}, not {count}",
                key=key,
                hint="partners are answered by two instances unless shared_instances = true"
                if count < self.instances_needed
                else "limits.max_instances is the most",
            )
