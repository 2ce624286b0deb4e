"""
Writes docs/faults.md: `python tests/bots/document.py > docs/faults.md`.

Every figure and every word about an outcome comes from `catalogue.py`, which the tests of
the gallery compare with what happens.
"""

from __future__ import annotations

import sys

from catalogue import GROUPS, LIMITS, OFFENDERS, Group, Offender, offenders

HEAD = """\
# Misbehaving bots: what comes of each

<!-- Made by `python tests/bots/document.py > docs/faults.md`; a test compares the two. -->

{count} kinds of misbehaviour, each played by a real program over real gRPC in a real
league ([`tests/bots`](../tests/bots)). The tests find for each exactly what stands here,
and for all of them: the league ends with exit code 0 and every game stored and verified; the
other bots' games against each other are, answer by answer, those of the same league
without the offender; nothing is ruled against them in any game; and no process, socket or
file is left.

A *fault* is an answer that is late, unreadable, illegal or missing; {faults_to_forfeit} of
them in a game (`faults_to_forfeit`), in all seats of the bot together, forfeit it. A *renege*
costs points and is no fault. The limits are {limits},
unless a section says otherwise.

A launched program that ends, for whatever reason, is started again as often as `restarts`
says, here once. A bot of this page that is shown out ends and does the same again, so that it
ends twice: then nobody waits for it any more, and what it is asked is answered by the
fallbacks and ruled `gone`. [protocol.md](protocol.md) says what each status and ruling
means, and which of them a better bot would come back from.

What the referee cannot know is who holds a token: whoever shows it is that bot. A program
that runs as the referee's own user, without a sandbox, can read the tokens of others.
"""

COLUMNS = (
    "| a bot that ... | the referee ... | it costs | its opponents notice |\n|---|---|---|---|"
)


def page() -> str:
    """
    Return the page.
    """
    parts = [
        HEAD.format(
            count=len(OFFENDERS),
            faults_to_forfeit=LIMITS["faults_to_forfeit"],
            limits=_limits({key: LIMITS[key] for key in ("answer", "grace", "hello")}),
        )
    ]
    parts += [_section(group, offenders(name)) for name, group in GROUPS.items()]
    return "\n".join(parts)


def _section(group: Group, members: list[Offender]) -> str:
    how = {"unix": "", "tcp": "over TCP"}[group.transport]
    what = ", ".join(each for each in (how, _limits(group.limits)) if each)
    differing = f"\nHere {what}.\n" if what else ""
    rows = "\n".join(_row(each) for each in members)
    return f"## {group.title}\n{differing}\n{COLUMNS}\n{rows}\n"


def _row(offender: Offender) -> str:
    cells = (offender.does, _reply(offender), _cost(offender), _noticed(offender))
    return f"| {' | '.join(cells)} |"


def _reply(offender: Offender) -> str:
    """
    What the referee does, with the status that the bot is told.
    """
    if not offender.status:
        return offender.reply
    says = f" *{offender.says}*" if offender.says else ""
    return f"{offender.reply}: `{offender.status}`{says}"


def _cost(offender: Offender) -> str:
    """
    What it costs in each game, and what becomes of the program.
    """
    costs = [f"`{kind}`" for kind in offender.rulings]
    if offender.penalty:
        costs = [f"{cost}, {offender.penalty} points each" for cost in costs]
    elif costs and not offender.faults:
        costs = [f"{cost}, 0 points" for cost in costs]
    if offender.faults:
        costs = [f"{offender.faults} faults ({' '.join(costs)})"]
    if offender.forfeits:
        costs.append("the game")
    cost = " and ".join(costs) or "nothing"
    if offender.deaths:
        ends = {1: "once", 2: "twice"}[offender.deaths]
        code = "" if offender.fate is None else f", exit code {offender.fate}"
        cost += f"; its program ends {ends}{code}"
    return cost


def _noticed(offender: Offender) -> str:
    """
    What its opponents notice; that it is so in all games is checked by the tests.
    """
    if offender.forfeits:
        return "each ruling; they win"
    if offender.rulings:
        return "each ruling"
    if offender.unpunished:
        return "cards that they could challenge"
    return "nothing"


def _limits(limits: dict[str, float]) -> str:
    return ", ".join(f"`{key} = {value:g}`" for key, value in limits.items())


if __name__ == "__main__":
    sys.stdout.write(page())
