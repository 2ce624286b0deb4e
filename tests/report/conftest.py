"""
Reports of leagues that were played in memory, and a browser to look at them.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from selenium import webdriver

from tournaments.report import write_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VERIFY = Path(__file__).parents[1] / "verify" / "conftest.py"
_spec = importlib.util.spec_from_file_location("leagues_in_memory", _VERIFY)
playing = sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(playing)

play = playing.play  # the fixture: leagues of bots that do everything wrong now and then


class Page(HTMLParser):
    """
    What a test wants to know of a page.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.html = path.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag, attrs):
        """
        Note a tag and what it links to.
        """
        self.tags.append(tag)
        for key, value in attrs:
            self.attributes.add(key)
            if key in ("href", "src") and not value.startswith(("#", "data:")):
                self.links.append(value)

    def handle_data(self, data):
        """
        Note text.
        """
        self.text += data


@pytest.fixture
def read() -> type[Page]:
    """
    Reads a page: `read(folder / "index.html").text`.
    """
    return Page


@pytest.fixture
def report(play, tmp_path: Path) -> Callable:
    """
    Plays a league and writes its report: `report("buck", names={"a": "A"}, games=5)`.
    """

    def make(*arguments, names=None, games=None, folder="out", **more):
        played = play(*arguments, **more)
        with closing(sqlite3.connect(played.url.removeprefix("sqlite:///"))) as db, db:
            # Past the door, which refuses some of these names.
            for bot, name in (names or {}).items():
                db.execute("UPDATE bot SET name = ? WHERE bot_id = ?", (name, bot))
        path = tmp_path / folder
        return path, write_report(played.store, played.run, path, games=games), played

    return make


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """
    A browser without a window.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    options.add_argument("--headless=new")
    options.add_argument("--disable-dev-shm-usage")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # it refuses to run as root otherwise
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(120)
    yield driver
    driver.quit()
