"""
Sandboxes for programs that strangers sent: what they may see, use and reach.
"""

from referee.sandbox.cell import BUILD_FOLDER, Cell, Ground, Limits
from referee.sandbox.ground import open_ground

__all__ = ["BUILD_FOLDER", "Cell", "Ground", "Limits", "open_ground"]
