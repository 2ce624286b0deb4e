"""
`league report` as people type it.
"""

from __future__ import annotations

import pytest

from tournaments.cli.command import main


def test_the_command_writes_and_says_what(play, tmp_path, capsys) -> None:
    """
    It names the page to open, and how many games have pages.
    """
    played = play("bid", sets=3)
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path / "out"), "--store", played.url, "--games", "4"])
    assert 0 == ended.value.code
    assert (
        f"{tmp_path}/out/index.html: 1 matches, 4 games with pages (2 more have none)\n"
        == capsys.readouterr().out
    )
    assert 4 == len(list((tmp_path / "out" / "games").rglob("*.html")))


@pytest.mark.parametrize("games", ["-1", "some"])
def test_wrong_numbers_are_refused(games: str, capsys) -> None:
    """
    They are wrong usage.
    """
    with pytest.raises(SystemExit) as ended:
        main(["report", "out", "--games", games])
    assert 2 == ended.value.code
    assert "--games" in capsys.readouterr().err
