"""
Writes the pages of a run, one at a time, so that a run of any size takes little memory.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import deque
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2

from referee.errors import ConfigError, RecordError
from referee.escaping import escaped
from referee.seats import SEATS
from tournaments.reading import league_of, standings_of
from tournaments.report import charts, matches, pages
from tournaments.report.telling import tell
from tournaments.standings import parts
from tournaments.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tournaments.games import GameRow
    from tournaments.league import League
    from tournaments.report.matches import MatchLine
    from tournaments.report.pages import Label
    from tournaments.store import Run, Store

GAMES = 1000
"""Games that have pages unless somebody wants more; the newest."""

_PART = 500
"""Games on one page of a match."""
_MATCHES = 300
"""Matches in one list."""
_READ = 2000
"""Games that are read at a time."""
_MARK = "made-by-league-report"
"""A file that says that a folder is ours, and may be replaced."""


class Written(NamedTuple):
    """
    What a report holds.
    """

    matches: int
    games: int
    """With pages of their own."""
    left_out: int
    """Games without: too many, or not to be shown yet, or void."""


def write_report(store: Store, run: Run, folder: Path, *, games: int | None = GAMES) -> Written:
    """
    Write the report of a run; it is there whole, or as it was before.

    Args:
        store: Where the run is.
        run: Which.
        folder: Where to; a report that is there already is replaced.
        games: So many games, the newest, get pages of their own; None for all.

    Raises:
        ConfigError: The folder cannot be written, or holds something else.
        RecordError: A game is stored without its record, or with one that does not replay.
    """
    with _fresh(folder) as fresh:
        return _Report(store, run, fresh, games).write()


class _Report:
    """
    One report in the making.
    """

    def __init__(self, store: Store, run: Run, folder: Path, most: int | None) -> None:
        self._store = store
        self._run = run
        self._folder = folder
        self._most = most
        self._league: League = league_of(run)
        self._over = run.finished is not None
        self._until = store.last_game(run)
        names = {bot.id: bot.name for bot in store.bots(run)}
        self._labels: Mapping[str, Label] = pages.labels(names)
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("tournaments.report"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals |= {
            "bots": self._labels,
            "league": {
                "name": escaped(self._league.name),
                "title": self._league.title,
                "sides": pages.side_names(self._league),
                "sittings": self._league.sittings,
                "sets": self._league.sets,
                "stop": self._league.stop,
            },
            "kinds": matches.MARKS,
            "run": run,
            "over": self._over,
        }
        self._templates.filters |= {
            "chance": charts.chance,
            "number": charts.number,
            "signed": charts.signed,
        }
        self._games = 0

    def write(self) -> Written:
        """
        Write every page.
        """
        for name in ("report.css", "game.js"):
            text = resources.files("tournaments.report").joinpath("static", name).read_bytes()
            (self._folder / name).write_bytes(text)
        tally, course, newest = self._counted()
        lines = [
            self._match(match_id, list(rows), newest)
            for match_id, rows in itertools.groupby(
                self._store.games_by_match(self._run, self._until), lambda row: row.match_id
            )
        ]
        stored = sum(line.games for line in lines)
        written = Written(len(lines), self._games, stored - self._games)
        lists = [lines[at : at + _MATCHES] for at in range(0, len(lines), _MATCHES)]
        if len(lists) > 1:
            for number, part in enumerate(lists, 1):
                values = {"lines": part, "number": number, "parts": len(lists)}
                self._page(f"matches~{number}.html", "matches.html", **values)
        self._index(tally, course, lists, written)
        return written

    # --- what there is ---------------------------------------------------------------------

    def _counted(self) -> tuple[Tally, charts.Course, set[str] | None]:
        """
        Count all games; return what came of them, how it went, and which get pages.
        """
        tally = Tally(self._league)
        course = charts.Course(self._store.count_games(self._run) // self._league.sittings)
        newest = _Newest(self._league, self._most, over=self._over)
        for row in self._rows():
            tally.add(row)
            course.look(tally)
            newest.add(row)
        course.close(tally)
        return tally, course, newest.found()

    def _rows(self) -> Iterator[GameRow]:
        """
        All games that were stored when the report was begun, in the order of their storing.
        """
        number = 0
        while number < self._until:
            batch = self._store.games_after(self._run, number, _READ)
            yield from (row for key, row in batch if key <= self._until)
            number = batch[-1][0]

    # --- pages ---------------------------------------------------------------------------

    def _index(
        self,
        tally: Tally,
        course: charts.Course,
        lists: Sequence[Sequence[MatchLine]],
        written: Written,
    ) -> None:
        table = standings_of(self._league, self._store, self._run, tally)
        scale, intervals = charts.intervals(table.rows)
        crossed, cells = pages.cross(table, set(tally.matches))
        self._page(
            "index.html",
            "index.html",
            table=table,
            scale=scale,
            intervals=intervals,
            crossed=crossed,
            cells=cells,
            seats=parts.seat_names(table) if table.games else [],
            by_seat=parts.by_seat(table),
            course=charts.course(course, [row.bot for row in table.rows]),
            parts=lists,
            written=written,
        )

    def _match(self, match_id: str, rows: list[GameRow], newest: set[str] | None) -> MatchLine:
        """
        Write the pages of a match and its games.
        """
        league = self._league
        rows.sort(key=lambda row: (row.set_number, row.sitting))
        tally = Tally.of(league, rows)
        open_sets = matches.complete(league, rows, over=self._over)
        shown = [
            row.fixture
            for row in rows
            if not row.void
            and row.set_id in open_sets
            and (newest is None or row.fixture in newest)
        ]
        with_page = set(shown)
        games = [
            matches.game_line(
                league, row, page=row.fixture in with_page, beyond=tally.is_beyond(row)
            )
            for row in rows
        ]
        line = matches.match_line(league, match_id, tally, games)
        summary = matches.bot_lines(league, match_id, tally)
        chunks = matches.chunks(games, _PART)
        for number, part in enumerate(chunks, 1):
            self._page(
                pages.match_file(match_id, number),
                "match.html",
                line=line,
                summary=summary,
                games=part,
                marked=matches.marked(part),
                secret=len({row.set_id for row in rows} - open_sets),
                number=number,
                parts=[pages.match_file(match_id, each + 1) for each in range(len(chunks))],
            )
        self._stories(line, shown)
        return line

    def _stories(self, line: MatchLine, shown: Sequence[str]) -> None:
        """
        Write the pages of games.
        """
        files = [pages.game_file(fixture) for fixture in shown]
        stored = self._store.recorded(self._run, shown)
        for place, (row, record) in enumerate(stored):
            if record is None:
                raise RecordError(f"{row.fixture} is stored without its record")
            story = tell(
                record,
                self._run.secret,
                faults_to_forfeit=self._league.limits.faults_to_forfeit,
            )
            self._page(
                files[place],
                "game.html",
                line=line,
                row=row,
                game=matches.game_line(self._league, row, page=True),
                seats=[(seat.name.capitalize(), row.seats[seat]) for seat in SEATS],
                story=story,
                rulings=matches.rulings(story),
                before=files[place - 1] if place else None,
                after=files[place + 1] if place + 1 < len(files) else None,
            )
            self._games += 1

    def _page(self, file: str, template: str, **values: Any) -> None:
        path = self._folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self._templates.get_template(template).render(
            root="../" * file.count("/"), file=file, **values
        )
        path.write_text(text, encoding="utf-8")


class _Newest:
    """
    Finds the newest games that may be shown, without keeping more than that.
    """

    def __init__(self, league: League, most: int | None, *, over: bool) -> None:
        self._sittings = 1 if over else league.sittings
        self._most = most
        self._open: dict[str, list[str]] = {}
        self._kept: deque[str] = deque(maxlen=most)

    def add(self, row: GameRow) -> None:
        """
        Take in a game.
        """
        if self._most is None:
            return
        waiting = self._open.setdefault(row.set_id, [])
        waiting.append(row.fixture)
        if len(waiting) >= self._sittings:
            self._kept.extend(self._open.pop(row.set_id))

    def found(self) -> set[str] | None:
        """
        Return their fixtures; None for all.
        """
        return None if self._most is None else set(self._kept)


@contextmanager
def _fresh(folder: Path) -> Iterator[Path]:
    """
    Make a new folder beside *folder*, which takes its place at the end.
    """
    try:
        folder = folder.resolve()
        if folder.exists() and not folder.is_dir():
            raise ConfigError("is no folder", path=str(folder), key="DIR")
        if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).exists():
            raise ConfigError(
                "holds something that is no report",
                path=str(folder),
                key="DIR",
                hint="name a new folder, or an earlier report, which is replaced",
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Both on one file system, so that one step is enough to change them over.
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
            part = Path(beside) / "new"
            part.mkdir()
            (part / _MARK).touch()
            yield part
            if folder.exists():
                folder.rename(Path(beside) / "old")
            part.rename(folder)
    except OSError as error:
        raise ConfigError(
            f"cannot be written: {error.strerror}", path=str(folder), key="DIR"
        ) from None
