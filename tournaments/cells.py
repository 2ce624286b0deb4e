"""
Text in the cells of a table: as wide as it looks, and never more than text. Pure.
"""

from __future__ import annotations

import re
import unicodedata

import wcwidth

from referee.escaping import JOINERS, escaped

_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Directions of letters and digits that run from right to left."""

_MARKUP = frozenset("\\`*_[]|~#!:@$")
"""What begins something in Markdown: emphasis, code, links, cells, mentions, formulas."""

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # \textquotedbl is an error without the encoding T1
    "'": "'{}",
    "`": "`{}",
    "-": "-{}",
    ",": ",{}",
    "?": "?{}",
    "!": "!{}",
    **{each: f"\\{each}" for each in "#$%&_{}"},
}

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula begins with, in full width too."""


def fitted(text: str, width: int) -> str:
    """
    Return *text* in at most *width* columns of a terminal, with an ellipsis if it is cut.
    """
    if columns(text) <= width:
        return text
    kept = ""
    for character in text:
        if columns(kept + character) > width - 1:
            break
        kept += character
    return kept.rstrip(JOINERS) + "…"


def columns(text: str) -> int:
    """
    Return how many columns of a terminal *text* takes.
    """
    return max(0, wcwidth.wcswidth(text))


def isolated(text: str) -> str:
    """
    Return *text* so that right-to-left letters in it do not reorder what stands beside it.
    """
    if any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in text):
        return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text


def markdown(text: str) -> str:
    """
    Return *text* as GitHub's Markdown shows it literally, in a table too.
    """
    cell = "".join(_ENTITIES.get(each) or _backslashed(each) for each in escaped(text))
    return re.sub(r"(?i)(www)\.", r"\1\\.", cell)  # else a link


def spreadsheet(text: str) -> str:
    """
    Return *text* so that a spreadsheet takes it for text, never for a formula.
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def latex(text: str) -> str:
    """
    Return *text* as LaTeX sets it literally.
    """
    # Accents that stand behind their letters are unknown to pdfLaTeX; empty groups keep
    # pairs of signs from becoming another one, as -- becomes a dash.
    whole = unicodedata.normalize("NFC", text)
    return "".join(_LATEX.get(each, each) for each in escaped(whole))


def _backslashed(character: str) -> str:
    return f"\\{character}" if character in _MARKUP else character
