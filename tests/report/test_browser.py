"""
The pages in a real browser, from files.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAMES = {
    "a": "<script>document.title='taken'</script>",
    "b": "\u202eabc \"'&<b>",
    "c": "漢" * 64,
    "d": "W" * 64,
}


class Browser:
    """
    A browser, and what it complained about.
    """

    def __init__(self, driver) -> None:
        self.driver = driver
        self.drain()
        self.resize(1200)

    def drain(self) -> None:
        """
        Forget what was logged so far.
        """
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def resize(self, width: int, scheme: str = "light") -> None:
        """
        Become a screen of this width.
        """
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, path: Path) -> None:
        """
        Open a page from its file.
        """
        self.driver.get(path.as_uri())

    def press(self, *keys: str) -> None:
        """
        Press keys, one after the other.
        """
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """
        Wait until *condition* holds.

        The driver hears of a new address a moment after the page has it, and a page
        follows a link a moment after it was clicked.
        """
        wait = WebDriverWait(self.driver, 60, 0.02, [StaleElementReferenceException])
        wait.until(lambda _: condition(), what)

    def until_at(self, end: str) -> None:
        """
        Wait until the address ends so.
        """
        self.until(lambda: self.driver.current_url.endswith(end), f"at {end}")

    def text(self, selector: str) -> str:
        """
        What the first such element says.
        """
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def all(self, selector: str) -> list:
        """
        All such elements.
        """
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def cards(self, seat: int) -> list[str]:
        """
        What a seat holds, in the words for those who cannot see it.
        """
        found = self.all(f".seat-{seat} .card")
        return [card.get_attribute("aria-label") for card in found]

    def requests(self) -> list[str]:
        """
        The addresses that were asked for.
        """
        events = [json.loads(each["message"]) for each in self.driver.get_log("performance")]
        return [
            event["message"]["params"]["request"]["url"]
            for event in events
            if event["message"]["method"] == "Network.requestWillBeSent"
        ]

    def overflow(self) -> int:
        """
        By how many pixels the page is wider than the screen.
        """
        return self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


@pytest.fixture
def browser(chromium):
    """
    A browser that has nothing to complain about at the end.
    """
    browser = Browser(chromium)
    yield browser
    assert [] == chromium.get_log("browser")
    asked = [url for url in browser.requests() if not url.startswith(("file:", "data:", "about:"))]
    assert [] == asked


def test_from_the_index_to_the_end_of_a_game(browser, report) -> None:
    """
    Links lead from the standings to a match and a game, which keys step through.
    """
    folder, _, played = report("bid", sets=2)
    browser.open(folder / "index.html")
    assert "Tést: standings" == browser.driver.title
    assert 2 == len(browser.all("section[aria-labelledby=intervals] circle.mean"))
    browser.driver.find_element(
        By.CSS_SELECTOR, "section[aria-labelledby=matches] td a, th a"
    ).click()
    browser.until(lambda: "Bot a \N{EN DASH} Bot b" in browser.driver.title, "the match")
    browser.driver.find_element(By.PARTIAL_LINK_TEXT, "1a").click()
    browser.until(lambda: browser.all("#said") and browser.text("#said"), "a game")
    assert browser.text("#said").startswith("Deal 1 of")
    hands = [browser.cards(seat) for seat in range(4)]
    assert [6, 6, 6, 7] == sorted(map(len, hands)), "the dealer has a card more, for the Joker"
    browser.press(Keys.ARROW_RIGHT)
    browser.until_at("#1.1")
    here = browser.text(".log .here")
    browser.press(Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    assert here == browser.text(".log .here")
    browser.press(Keys.END)
    assert "won" in browser.text("#said")
    row = played.store.game(played.run, "a:b/1a")
    scores = [
        each.text.replace("\N{MINUS SIGN}", "-") for each in browser.all("#scores td:last-child")
    ]
    assert list(map(str, row.scores)) == scores
    assert "true" == browser.driver.find_element(By.ID, "next").get_attribute("aria-disabled")
    browser.press(Keys.HOME)
    assert hands == [browser.cards(seat) for seat in range(4)]


def test_buttons_and_the_list_do_what_keys_do(browser, report) -> None:
    """
    Whoever has no keyboard gets everywhere too, and a reload comes back.
    """
    folder, _, _ = report("bid", sets=1)
    browser.open(folder / "games" / "a~b" / "1a.html")
    browser.driver.find_element(By.ID, "next").click()
    said = browser.text("#said")
    browser.driver.find_element(By.ID, "back").click()
    browser.all(".log li[data-step] button")[0].click()
    assert said == browser.text("#said")
    browser.driver.refresh()
    assert said == browser.text("#said")
    deals = Select(browser.driver.find_element(By.ID, "deal"))
    deals.select_by_index(len(deals.options) - 1)
    browser.until_at(f"#{len(deals.options)}.0")
    browser.driver.find_element(By.ID, "last").click()
    assert "won" in browser.text("#said")
    browser.driver.find_element(By.ID, "first").click()
    browser.until_at("#1.0")


def test_every_step_of_every_deal_can_be_shown(browser, report) -> None:
    """
    Step by step to the end and back: the script never fails, and rulings are shown.
    """
    folder, _, _ = report("bid", "stand", sets=1, hands=2)
    for path in sorted((folder / "games").rglob("*.html")):
        browser.open(path)
        shown = browser.driver.execute_script(
            "const shown = [];"
            "for (let n = 0; n < 5000; n++) {"
            "  const before = location.hash; on();"
            "  if (location.hash === before) break;"
            "  shown.push([document.getElementById('said').textContent,"
            "    document.getElementById('said').className.includes('ruled')]);"
            "}"
            "for (let n = 0; n < 5000; n++) {"
            "  const before = location.hash; back(); if (location.hash === before) break;"
            "} return [shown, location.hash];"
        )
        assert "#1.0" == shown[1]
        assert all(text for text, _ in shown[0])
        assert any(ruled for _, ruled in shown[0])


def test_games_can_be_filtered_by_their_marks(browser, report) -> None:
    """
    Without a script: a choice hides the other games, and keys make it too.
    """
    folder, _, _ = report("bid", sets=4, void=(1, 5))
    browser.open(folder / "matches" / "a~b.html")

    def shown():
        return sum(row.is_displayed() for row in browser.all(".games tbody tr"))

    assert 8 == shown()
    for kind in ("renege", "challenge", "fault", "forfeit", "void"):
        browser.driver.find_element(By.ID, f"show-{kind}").click()
        marked = len(browser.all(f".games tbody tr.has-{kind}"))
        assert 0 < marked == shown(), kind
    browser.press(Keys.ARROW_DOWN)
    assert 8 == shown(), "the arrow goes from the last choice to the first, which is all"


def test_a_ruling_leads_to_its_step(browser, report) -> None:
    """
    From the list above the cards, which stays open.
    """
    folder, _, _ = report("bid", "stand", sets=1)
    browser.open(folder / "games" / "a~b" / "1a.html")
    browser.driver.find_element(By.CSS_SELECTOR, ".rulings summary").click()
    link = browser.all(".rulings a")[-1]
    place = link.get_attribute("href").partition("#")[2]
    text = browser.all(".rulings li")[-1].text.partition(": ")[2]
    link.click()
    browser.until_at(f"#{place}")
    browser.until(lambda: text in browser.text("#said"), text)
    assert link.is_displayed()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_wider_than_the_screen(browser, report, width: int, scheme: str) -> None:
    """
    Long and hostile names wrap, and wide tables scroll in a box of their own.
    """
    folder, _, _ = report("buck", sets=1, names=NAMES)
    browser.resize(width, scheme)
    for path in (
        folder / "index.html",
        folder / "matches" / "a~b~c~d.html",
        folder / "games" / "a~b~c~d" / "1a.html",
    ):
        browser.open(path)
        assert 0 == browser.overflow(), path.name
        assert "taken" != browser.driver.title
        shown = {each.text for each in browser.all("bdi.bot")}
        assert {NAMES["a"], NAMES["c"], "\\u202eabc \"'&<b>"} <= shown
        red, green, blue = map(
            int,
            browser.driver.execute_script(
                "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g)"
            ),
        )
        assert (scheme == "light") == (red + green + blue > 384)


def test_a_phone_shows_how_sure_a_margin_is(browser, report) -> None:
    """
    Rank, name, margin and its error stand on the screen before anybody scrolls.
    """
    folder, _, _ = report("buck", sets=2, names=NAMES)
    browser.resize(360)
    for path in (folder / "index.html", folder / "matches" / "a~b~c~d.html"):
        browser.open(path)
        right, errors = browser.driver.execute_script(
            "const box = document.querySelector('.scroll');"
            "return [box.getBoundingClientRect().right,"
            " [...box.querySelectorAll('tbody td.strong + td.soft')].map(each => {"
            "  const digits = document.createRange();"
            "  digits.selectNodeContents(each);"
            "  return digits.getBoundingClientRect().right;"
            " })]"
        )
        assert len(errors) == 4
        assert max(errors) <= right, path.name


def test_suits_are_told_apart_without_colour(browser, report) -> None:
    """
    Each card says in words what it is, and has the sign of its suit.
    """
    folder, _, _ = report("buck", sets=1)
    browser.open(folder / "games" / "a~b~c~d" / "1a.html")
    for card in browser.all(".hand .card"):
        name = card.get_attribute("aria-label")
        sign = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}[name.split()[-1]]
        assert sign in card.text
        assert "img" == card.get_attribute("role")
