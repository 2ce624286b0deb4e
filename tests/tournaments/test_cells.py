"""
Names are only ever text: at the door, and in the cells of a table.
"""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.escaping import FLAGS, escaped, untagged
from tournaments.cells import columns, fitted, isolated, latex, markdown, spreadsheet
from tournaments.names import is_id, name_fault

GOOD_NAMES = [
    "Ärger",
    "x" * 64,
    "日本語" * 21,
    "👩‍👩‍👧‍👦",
    "می‌خواهم",
    *(f"{flag}Ann{flag}" for flag in FLAGS),
    "e\u0301",
    "a|b*c_`<script>`",
    "=1+1",
]
BAD_NAMES = [
    "",
    "x" * 65,
    " a",
    "a\n",
    "a\tb",
    "\x1b[31m",
    "\x9b31m",
    "a\u202eb",
    "a\u2028b",
    "\ufeffa",
    "a\u200bb",
    "\ud800",
    "\u3000",
    "\u2066a",
    "a\ue000",
    "a\ufdd0",
    "a\U000e0fff",
    "\u3164",
    "a\u2800",
    "\u0301a",
    "\u200da",
    "\ufe0fa",
    "a\U000e0041",
    FLAGS[0][:-1],  # does not end
    FLAGS[0][1:],
    f"{FLAGS[0]}\U000e0041",
    FLAGS[0].replace("\U000e0067", "\U000e0078"),  # of no country
]


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_names_that_may_enter(name):
    """
    Any Unicode that stays in its place.
    """
    assert name_fault(name) is None
    assert name == escaped(name)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_may_not(name):
    """
    Empty, long, padded, controlling and direction-changing ones.
    """
    assert name_fault(name)


ACTING = "".join(map(chr, range(0x3000))) + "\ud800\ue000\ufeff\U000e0001\U0010fffd"
"""Of every category that acts, and all line ends."""


@given(st.text(max_size=80))
@example(ACTING)
def test_nothing_that_is_shown_acts(text):
    """
    Whatever comes, what is printed has no control characters and no line ends.
    """
    printed = escaped(text)
    assert len(printed.splitlines()) <= 1
    acting = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert {"\u200c", "\u200d"} >= {
        each for each in set(printed) if unicodedata.category(each) in acting
    }
    printed.encode()


@pytest.mark.parametrize("text", [f"{FLAGS[1]}\n{FLAGS[1]}", f"\x1b{FLAGS[1]}\U000e0041"])
def test_flags_stay_beside_what_is_escaped(text):
    """
    They are shown, and what acts beside them is not.
    """
    printed = escaped(text)
    assert FLAGS[1] in printed
    assert untagged(printed).isprintable()
    assert printed == escaped(printed)


@given(st.text(max_size=80).map(escaped), st.integers(2, 40))
def test_fitted_text_fits(text, width):
    """
    It is never wider than it may be, and whole if there is room.
    """
    cut = fitted(text, width)
    assert columns(cut) <= width
    assert columns(text) > width or text == cut


def test_fitting_by_hand():
    """
    Wide characters take two columns; emoji are not cut in the middle.
    """
    assert "日本語" == fitted("日本語", 6)
    assert "日本…" == fitted("日本語", 5)
    assert "ab…" == fitted("abcd", 3)
    assert f"{FLAGS[0]}a…" == fitted(f"{FLAGS[0]}abc", 4)
    assert "…" == fitted(f"{FLAGS[0]}abc", 2)


def test_right_to_left_names_stay_in_their_place():
    """
    They are isolated, others are left alone.
    """
    shalom = "\u05e9\u05dc\u05d5\u05dd"
    assert f"\u2068{shalom}\u2069" == isolated(shalom)
    assert "abc" == isolated("abc")
    assert 4 == columns(shalom) == columns(isolated(shalom))


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("a|b", r"a\|b"),
        ("*x* _y_ `z`", r"\*x\* \_y\_ \`z\`"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[a](b)", r"\[a\](b)"),
        ("http://x", r"http\://x"),
        ("www.x", r"www\.x"),
        ("@me", r"\@me"),
        ("back\\slash", r"back\\slash"),
        ("v1.2-3", "v1.2-3"),
    ],
)
def test_markdown(name, cell):
    """
    Markup in a name is shown, not obeyed.
    """
    assert cell == markdown(name)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\uff1d1"])
def test_formulas_are_text(name):
    """
    A spreadsheet does not compute a name.
    """
    assert f"'{name}" == spreadsheet(name)
    assert "a=1" == spreadsheet("a=1")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("#1_{a}$%&", r"\#1\_\{a\}\$\%\&"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("^~", r"\textasciicircum{}\textasciitilde{}"),
        ("a--b?`", "a-{}-{}b?{}`{}"),
        ("a\nb", r"a\textbackslash{}nb"),
        ("Zoë", "Zoë"),
        ("Zoe\N{COMBINING DIAERESIS}", "Zoë"),
        ('say "x"', r"say \symbol{34}x\symbol{34}"),
    ],
)
def test_latex(name, cell):
    """
    Commands in a name are set, not obeyed.
    """
    assert cell == latex(name)


def test_ids():
    """
    Plain enough for a file name, a command line and a key.
    """
    assert all(map(is_id, ["a", "0", "a.b-c_d", "x" * 32]))
    assert not any(
        map(is_id, ["", "A", "-a", ".a", "a b", "a:b", "a/b", "x" * 33, "ä", "a\n", "\u0661"])
    )
