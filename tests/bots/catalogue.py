"""
The gallery: every kind of misbehaviour, and the one thing that comes of it, as data.

`offend.py ID` is the bot that does it, `test_gallery.py` plays all of them in leagues and
compares what happens with what stands here, and `document.py` makes docs/faults.md of
it. So the page says what the tests have seen, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LIMITS = {"answer": 60.0, "grace": 30.0, "hello": 30.0, "faults_to_forfeit": 3, "restarts": 1}
"""Of all leagues of the gallery, where a group says nothing else.

An answer that nobody can be late with shows that something else ends a game.
"""

BYSTANDERS = {"ann": "first.py", "bob": "cautious.py"}
"""Sample bots that play in every league of the gallery, and want to be left in peace."""

PENALTY = 2
"""Points for a renege and for a false challenge: the default of the rules."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """
    A league that offenders share, so that the gallery is soon over.
    """

    title: str
    """What the offenders have in common, for the page."""
    limits: dict[str, float] = field(default_factory=dict)
    """Where they differ from `LIMITS`."""
    rules: dict[str, str] = field(default_factory=dict)
    """Options of the game."""
    transport: str = "unix"
    """How its bots connect; `tcp` is what bots from elsewhere use."""


GROUPS = {
    "cards": Group(title="What is answered", limits={"answer": 6.0}),
    "challenges": Group(
        title='Challenges (`renege_mode = "challenge"`)', rules={"renege_mode": "challenge"}
    ),
    "messages": Group(title="What is sent", transport="tcp"),
    "streams": Group(title="How it connects", limits={"max_instances": 4}),
    "processes": Group(title="What its program does", limits={"memory_mb": 200}),
    "silence": Group(
        title="Who says nothing",
        # It ends when `frozen` has used up `grace`: long after the end of `no-hello`.
        limits={"hello": 6.0, "restarts": 0},
        transport="tcp",
    ),
}
"""By id."""


@dataclass(frozen=True, kw_only=True)
class Offender:
    """
    A kind of misbehaviour, and its outcome.
    """

    id: str
    """Names the bot, in its league and on the command line of `offend.py`."""
    group: str
    """The league it plays in."""
    does: str
    """What the bot does, after "a bot that"."""
    reply: str
    """What the referee does."""
    status: str = ""
    """The gRPC status that a stream of it ends with; empty if none is ended for that."""
    says: str = ""
    """What stands in the details of that status."""
    rulings: tuple[str, ...] = ()
    """The kinds of rulings against it, forfeits aside, in each of its leagues."""
    faults: int = 0
    """Its faults in every game."""
    penalty: int = 0
    """Points that each of these rulings costs."""
    forfeits: bool = False
    """Whether every game of it is forfeited, or none."""
    unpunished: bool = False
    """Whether reneges of it stand and cost nothing."""
    deaths: int = 0
    """How many times its program ends by itself, or is killed, while the league is played."""
    fate: int | None = None
    """Exit code of those ends, where that says something."""
    log: str = ""
    """What stands in the file of its standard error, besides."""


def late(**fields: object) -> Offender:
    """
    An offender that is decided by timeouts.
    """
    return Offender(rulings=("timeout",), faults=3, forfeits=True, **fields)  # type: ignore[arg-type]


def gone(**fields: object) -> Offender:
    """
    An offender whose program ends each time that it is started.
    """
    fields = {"deaths": 2, "faults": 3, **fields}
    return Offender(rulings=("gone",), forfeits=True, **fields)  # type: ignore[arg-type]


IGNORED = "ignores them; nothing is counted against the bot"

OFFENDERS = (
    # --- what is answered ----------------------------------------------------------------
    Offender(
        id="renege",
        group="cards",
        does="plays cards that it holds and may not play",
        reply="refuses each and plays the first legal card",
        rulings=("renege",),
        penalty=PENALTY,
    ),
    Offender(
        id="not-held",
        group="cards",
        does="plays cards that it does not hold",
        reply="refuses each and plays the first legal card",
        rulings=("renege",),
        penalty=PENALTY,
    ),
    Offender(
        id="illegal-call",
        group="cards",
        does="bids what nobody may bid",
        reply="passes for it, or bids the lowest where it must bid",
        rulings=("illegal",),
        faults=3,
        forfeits=True,
    ),
    Offender(
        id="says-nothing",
        group="cards",
        does="answers without an action, with enum 0, or with an enum that does not exist",
        reply="takes the fallback; 0 is never read as a card, a suit or a pass",
        rulings=("unreadable",),
        faults=3,
        forfeits=True,
    ),
    late(
        id="late",
        group="cards",
        does="answers when it is told that it was too late",
        reply="takes the fallback at the limit and ignores the answer when it comes",
    ),
    late(
        id="never",
        group="cards",
        does="never answers",
        reply="takes the fallback at the limit",
    ),
    late(
        id="deaf",
        group="cards",
        does="stops reading",
        reply="takes the fallback at the limit, and never waits for it to read",
    ),
    Offender(
        id="twice",
        group="cards",
        does="answers everything twice, the second time differently",
        reply="takes the first answer and ignores the second",
    ),
    Offender(
        id="unknown-id",
        group="cards",
        does="sends answers to asks that do not exist beside its own",
        reply=IGNORED,
    ),
    Offender(
        id="others-id",
        group="cards",
        does="answers for other seats, with the ids of asks of other bots",
        reply="ignores them; an id is good on the stream that was asked and nowhere else",
    ),
    Offender(
        id="challenges-in-vain",
        group="cards",
        does="challenges where reneges are refused at once",
        reply="plays the card and ignores the challenges beside it",
    ),
    # --- challenges ----------------------------------------------------------------------
    Offender(
        id="false-challenges",
        group="challenges",
        does="challenges every card of its opponents",
        reply="judges each challenge; nothing was wrong",
        rulings=("false_challenge",),
        penalty=PENALTY,
    ),
    Offender(
        id="void-challenges",
        group="challenges",
        does="challenges its partner, nobody, and tricks that were not played",
        reply="rules that there is nothing to judge",
        rulings=("void_challenge",),
    ),
    Offender(
        id="unseen-renege",
        group="challenges",
        does="reneges while nobody challenges",
        reply="lets the card stand, as these rules say, and counts it in the standings",
        unpunished=True,
    ),
    # --- what is sent --------------------------------------------------------------------
    gone(
        id="garbage",
        group="messages",
        does="sends bytes that are no message",
        reply="ends the stream",
        status="INVALID_ARGUMENT",
        says="a message that cannot be parsed",
    ),
    gone(
        id="huge",
        group="messages",
        does="sends a message of 50 MB",
        reply="reads no more than 1 MB of it and ends the stream",
        status="RESOURCE_EXHAUSTED",
        says="larger than max",
    ),
    gone(
        id="flood",
        group="messages",
        does="sends thousands of answers a second that nobody asked for",
        reply="ends the stream",
        status="RESOURCE_EXHAUSTED",
        says="too many messages a second",
    ),
    gone(
        id="hello-again",
        group="messages",
        does="says hello a second time",
        reply="ends the stream",
        status="FAILED_PRECONDITION",
        says="there is one Hello in a conversation",
    ),
    gone(
        id="escape",
        group="messages",
        does="introduces itself with an escape sequence for terminals",
        reply="does not let it in, and writes the sequence nowhere",
        status="INVALID_ARGUMENT",
        says="control characters",
    ),
    Offender(
        id="leave",
        group="messages",
        does="says Leave in mid-deal",
        reply="says goodbye and answers for it by fallbacks, without waiting for `grace`",
        status="OK",
        rulings=("gone",),
        faults=3,
        forfeits=True,
    ),
    # --- how it connects -----------------------------------------------------------------
    gone(
        id="half-close",
        group="streams",
        does="closes its half of the stream right after its Hello",
        reply="takes it for lost, since no answer can come",
        status="OK",
    ),
    gone(
        id="half-close-later",
        group="streams",
        does="closes its half of the stream in mid-deal",
        reply="takes it for lost, since no answer can come",
        status="OK",
    ),
    gone(
        id="stranger",
        group="streams",
        does="shows a token that nobody has",
        reply="does not let it in",
        status="UNAUTHENTICATED",
        says="the token is nobody's, or no longer valid",
    ),
    Offender(
        id="storm",
        group="streams",
        does="connects anew after every frame",
        reply="sends the open asks again, with their clocks as they stand; absence is counted "
        "against `grace`",
    ),
    Offender(
        id="twins",
        group="streams",
        does="opens a second stream with the same token and instance",
        reply="ends the older stream and goes on with the newer",
        status="ABORTED",
        says="a newer stream of this instance took over",
    ),
    Offender(
        id="careless",
        group="streams",
        does="leaves its token where others read it",
        reply="hears whoever shows the token; starts the program that was pushed out again",
        status="ABORTED",
        says="a newer stream of this instance took over",
        deaths=1,
    ),
    Offender(
        id="thief",
        group="streams",
        does="takes another bot's seat with the token that it has read",
        reply="treats it as the bot whose token it shows, until that one comes back",
        log="let in as careless",
    ),
    Offender(
        id="crowd",
        group="streams",
        does="opens forty streams without saying hello on them",
        reply="keeps twice `max_instances` open and refuses the others; its games go on",
        status="RESOURCE_EXHAUSTED",
        says="too many instances of this bot",
    ),
    Offender(
        id="sockets",
        group="streams",
        does="opens a hundred connections, and speaks no gRPC on them",
        reply="closes those that say something wrong and waits for nobody",
    ),
    # --- what its program does -----------------------------------------------------------
    gone(
        id="crash",
        group="processes",
        does="crashes in mid-deal, each time that it is started",
        reply="starts it again, and when it has ended again answers for it by fallbacks",
        fate=7,
    ),
    gone(
        id="exit",
        group="processes",
        does="exits at once",
        reply="starts it again, and waits no longer when it has ended again",
        fate=3,
    ),
    gone(
        id="eat",
        group="processes",
        does="allocates without end",
        reply="kills it at `memory_mb`",
        fate=137,
        log=" MB of memory, 200 are allowed]",
    ),
    Offender(
        id="immortal",
        group="processes",
        does="ignores Farewell and SIGTERM",
        reply="waits two seconds, asks with SIGTERM, and kills it a second later",
    ),
    Offender(
        id="binary",
        group="processes",
        does="prints megabytes of random bytes",
        reply="ignores its standard output, and keeps 1 MB of its standard error",
        log="[the rest was dropped: 1048576 bytes are kept]",
    ),
    Offender(
        id="forks",
        group="processes",
        does="starts daemons in sessions of their own",
        reply="kills them with it",
    ),
    # --- who says nothing ----------------------------------------------------------------
    Offender(
        id="frozen",
        group="silence",
        does="stops itself (SIGSTOP), so that its connection stays open",
        reply="finds the connection dead by pings within ten seconds; waits for `grace`",
        rulings=("gone",),
        faults=3,
        forfeits=True,
    ),
    gone(
        id="no-hello",
        group="silence",
        does="connects and never says hello",
        deaths=1,
        reply="ends the stream after `hello` seconds",
        status="INVALID_ARGUMENT",
        says="no Hello came in time",
    ),
    Offender(
        id="pings",
        group="silence",
        does="pings every second",
        reply="bears it",
    ),
)
"""In the order of the page."""


def offenders(group: str) -> list[Offender]:
    """
    Return those who play in *group*.
    """
    return [each for each in OFFENDERS if each.group == group]
