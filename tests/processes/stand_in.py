"""
Stands in for the referee: `stand_in.py FOLDER KIND...` launches nasty bots until it is killed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import trio

from referee.keeper import BotProcess
from referee.launch import open_launcher

HERE = Path(__file__).parent


async def _main(folder: Path, kinds: list[str]) -> None:
    async with open_launcher("unix:/nowhere", folder) as launcher:
        for number, kind in enumerate(kinds):
            launcher.start(
                BotProcess(
                    bot_id=kind,
                    instance=str(number),
                    command=["{python}", str(HERE / "nasty.py"), kind],
                    cwd=folder,
                    token="",
                    env={"READY": os.environ["READY"]},
                )
            )
        await trio.sleep_forever()


trio.run(_main, Path(sys.argv[1]), sys.argv[2:])
