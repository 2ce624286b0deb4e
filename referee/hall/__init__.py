"""
The hall: many tables, many instances, and all the clocks. Sans-IO.
"""

from referee.hall.hall import Hall
from referee.hall.instance import Instance
from referee.hall.values import Ask, FinishedGame, Frame, InstanceKey, Limits, Seated

__all__ = ["Ask", "FinishedGame", "Frame", "Hall", "Instance", "InstanceKey", "Limits", "Seated"]
