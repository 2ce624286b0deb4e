"""
What is examined: every check by name, with what is expected in one sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.rules.options import BidRules, BuckRules, JokerDiscard, RenegeMode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.rules.options import Rules


class Check(NamedTuple):
    """
    One thing that is examined.
    """

    name: str
    """Group and name: `hello.token`."""
    expected: str
    """What a good bot does, as a sentence about it."""
    section: str
    """Where docs/protocol.md speaks of it."""
    game: str = ""
    """The game that it needs; empty if it needs none."""

    @property
    def group(self) -> str:
        """
        The group that it belongs to.
        """
        return self.name.partition(".")[0]


GROUPS: Mapping[str, str] = {
    "hello": "Hello and version",
    "bid": "Questions of Bid Euchre",
    "buck": "Questions of Buck Euchre",
    "alternatives": "Alternatives of the rules",
    "reneges": "Ways of finding reneges",
    "frames": "Frames of one and of many",
    "ids": "Which questions are answered",
    "later": "Messages of later versions",
    "reconnect": "Coming back",
    "time": "Time limits",
    "ending": "Farewell and other ends",
    "output": "Input and output",
    "instances": "Two instances",
}
"""The title of each group, in order."""

_HELLO = "The conversation"
_ASKED = "What is asked"
_TIME = "Time"
_WRONG = "What goes wrong"
_STARTS = "How a launched bot starts"
_INSTANCES = "Instances"
_VERSIONS = "Versions"

CHECKS: tuple[Check, ...] = (
    Check("hello.token", "It shows its token as `authorization: Bearer TOKEN`.", _HELLO),
    Check("hello.first", "Its first message is a Hello, sent without delay.", _HELLO),
    Check("hello.once", "It says Hello once on each stream.", _HELLO),
    Check("hello.protocol", "Hello.protocol is 1.", _VERSIONS),
    Check("hello.instance", "Hello.instance is EUCHRE_INSTANCE as it was given.", _STARTS),
    Check("hello.long_instance", "It also takes an instance's name of 32 characters.", _INSTANCES),
    Check("hello.games", "Hello.games has known games only, each once; or nothing.", _HELLO),
    Check("hello.max_asks", "Hello.max_asks is not negative.", _HELLO),
    Check("hello.software", "Hello.software is one line of at most 200 characters.", _HELLO),
    Check("hello.waits", "It answers nothing before it was asked, Welcome included.", _HELLO),
    Check("hello.messages", "Everything it sends is a Hello, Answers or Leave.", _HELLO),
    Check("bid.claim", "claim: it claims or declines.", _ASKED, "bid"),
    Check("bid.joker_discard", "joker_discard: it discards a card it holds.", _ASKED, "bid"),
    Check("bid.auction", "auction: it makes a bid of `legal_bids`.", _ASKED, "bid"),
    Check("bid.trump", "trump: it names a suit of `legal_suits`.", _ASKED, "bid"),
    Check("bid.ask_give", "ask_give: it gives a card it holds.", _ASKED, "bid"),
    Check("bid.ask_gift", "ask_gift: it gives a card of `legal_cards`.", _ASKED, "bid"),
    Check("bid.play", "play: it plays a card of `legal_cards`.", _ASKED, "bid"),
    Check("bid.last_call", "last_call: it answers with `call`.", _ASKED, "bid"),
    Check("buck.call_1", "call_1: it orders or passes.", _ASKED, "buck"),
    Check("buck.call_2", "call_2: it names a suit of `legal_suits`, or passes.", _ASKED, "buck"),
    Check("buck.dealer_discard", "dealer_discard: it discards a card it holds.", _ASKED, "buck"),
    Check("buck.drop", "drop: it stays or drops.", _ASKED, "buck"),
    Check("buck.play", "play: it plays a card of `legal_cards`.", _ASKED, "buck"),
    Check("buck.last_call", "last_call: it answers with `call`.", _ASKED, "buck"),
    Check("alternatives.stick_the_dealer", "A dealer who must bid does.", _ASKED, "bid"),
    Check("alternatives.ace_no_face", "It plays on where hands may be claimed.", _ASKED, "bid"),
    Check("alternatives.joker", "It bids and plays with the Joker in hand.", _ASKED, "bid"),
    Check("alternatives.joker_late", "It discards after trump is named.", _ASKED, "bid"),
    Check("alternatives.double_deck", "It plays twelve cards, some of them twice.", _ASKED, "bid"),
    Check("alternatives.no_trump", "It plays where nothing is trump.", _ASKED, "buck"),
    Check("alternatives.turned_down", "It copes with the turned-down suit.", _ASKED, "buck"),
    Check("reneges.bid_stand", "`stand`: it plays a card it holds.", _WRONG, "bid"),
    Check("reneges.bid_challenge", "`challenge`: it plays a card it holds.", _WRONG, "bid"),
    Check("reneges.buck_stand", "`stand`: it plays a card it holds.", _WRONG, "buck"),
    Check("reneges.buck_challenge", "`challenge`: it plays a card it holds.", _WRONG, "buck"),
    Check("reneges.challenges", "It challenges only where and what may be.", _ASKED),
    Check("frames.one", "It answers a frame of one ask.", _HELLO),
    Check("frames.many", "It answers a frame of as many asks as it wants to hold.", _HELLO),
    Check("frames.more", "It answers asks that come while others are open.", _HELLO),
    Check("frames.empty", "It answers nothing to a frame that holds nothing.", _HELLO),
    Check("frames.tells", "It answers nothing to what it is only told.", _HELLO),
    Check("ids.known", "Every answer has the id of an ask that it was sent.", _ASKED),
    Check("ids.once", "It answers no ask twice.", _WRONG),
    Check("ids.late", "It goes on after a ruling that an answer came too late.", _WRONG),
    Check("ids.large", "It returns ids beyond 2^53 digit by digit.", _ASKED),
    Check("later.fields", "It ignores fields that it does not know.", _VERSIONS),
    Check("later.tells", "It ignores tells of a kind that it does not know.", _VERSIONS),
    Check("later.messages", "It ignores messages of a kind that it does not know.", _VERSIONS),
    Check("reconnect.unavailable", "Cut off with UNAVAILABLE it comes back in time.", _WRONG),
    Check("reconnect.same", "It comes back with the same token and instance.", _WRONG),
    Check("reconnect.again", "It answers the open asks that it is sent again.", _WRONG),
    Check("reconnect.internal", "Cut off with INTERNAL it comes back in time.", _WRONG),
    Check("reconnect.restart", "It finds a referee that was down for a moment.", _WRONG),
    Check("reconnect.aborted", "Replaced (ABORTED) it does not come back.", _WRONG),
    Check("reconnect.refused", "Refused (UNAUTHENTICATED) it does not come back.", _WRONG),
    Check("time.limit", "Each answer comes within the limit.", _TIME),
    Check("time.average", "On average it needs less than half the limit.", _TIME),
    Check("time.many", "With many asks in hand no answer is late.", _TIME),
    Check("time.short", "It answers an ask with little time left.", _TIME),
    Check("ending.stays", "It does not leave or end before it is told to.", _HELLO),
    Check("ending.farewell", "It ends by itself soon after a Farewell.", _HELLO),
    Check("ending.code", "Its exit code after a Farewell is 0.", _STARTS),
    Check("ending.no_more", "It does not dial in again after a Farewell.", _HELLO),
    Check("ending.sigterm", "It ends within a second of SIGTERM.", _STARTS),
    Check("output.none", "It plays without a terminal: no input, output ignored.", _STARTS),
    Check("output.quiet", "It writes at most 64 KiB to standard error.", _STARTS),
    Check("instances.two", "Two of its processes connect under different names.", _INSTANCES),
    Check("instances.both", "Both answer while both are asked at once.", _INSTANCES),
)
"""All checks, by group."""

BY_NAME: Mapping[str, Check] = {check.name: check for check in CHECKS}
"""Each check by its name."""

STAND = RenegeMode.STAND
CHALLENGE = RenegeMode.CHALLENGE

TABLES: Mapping[str, Rules] = {
    "bid": BidRules(),
    "bid/stick-the-dealer": BidRules(stick_the_dealer=True),
    "bid/ace-no-face": BidRules(ace_no_face=True),
    "bid/joker": BidRules(joker=True),
    "bid/joker-late": BidRules(joker=True, joker_discard=JokerDiscard.AFTER_TRUMP),
    "bid/double-deck": BidRules(double_deck=True),
    "bid/stand": BidRules(renege_mode=STAND),
    "bid/challenge": BidRules(renege_mode=CHALLENGE),
    "buck": BuckRules(),
    "buck/turned-down": BuckRules(allow_turned_down_suit=True),
    "buck/stand": BuckRules(renege_mode=STAND),
    "buck/challenge": BuckRules(renege_mode=CHALLENGE),
}
"""The rules of the tables that questions are taken from."""
