"""
Rules as messages: every option by its name.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING

from euchre.referee.v1 import rules_pb2

from referee.seats import Seat

if TYPE_CHECKING:
    from referee.rules.options import Rules


@functools.lru_cache(maxsize=64)
def rules_message(rules: Rules) -> rules_pb2.Rules:
    """
    Return *rules* with every option filled in. It is shared: copy it, do not change it.

    Options have the same names in both worlds, so a new one needs a field in the
    .proto and nothing here; without it this fails at the first game.
    """
    message = rules_pb2.Rules()
    part = getattr(message, rules.game)
    part.SetInParent()
    fields = part.DESCRIPTOR.fields_by_name
    for name in rules.options(every=True):
        value = getattr(rules, name)
        if value is None:
            continue
        if isinstance(value, Seat):
            value = value + 1
        elif isinstance(value, enum.StrEnum):
            numbers = fields[name].enum_type.values_by_name
            prefix = next(iter(numbers)).removesuffix("UNSPECIFIED")
            value = numbers[prefix + value.name].number
        setattr(part, name, value)
    return message
