"""
The form of the log: few, rich events on standard error.

The only place that configures structlog. Everybody else says
`log = structlog.get_logger()` and `log.info("game_over", fixture=..., ...)`.
Strings of bots reach the log (names, errors), so what could act on a terminal
is spelled out, and secrets are dropped by their key.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

import structlog

from referee.errors import ConfigError
from referee.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from structlog.typing import Processor

LEVELS = ("debug", "info", "warning", "error")
"""The levels that can be asked for, from all to little."""

SECRET = frozenset({"token", "secret", "authorization"})
"""Keys whose values are never written, in whatever case and however deep."""


def configure(level: str = "info", json: bool | None = None) -> None:
    """
    Send this program's log to standard error.

    Also what libraries log through `logging` (asyncio's complaints, for example),
    from warnings on. Can be called again.

    Args:
        level: The least level that is written, one of `LEVELS`.
        json: Whether to write JSON lines; None: unless on a terminal.

    Raises:
        ConfigError: There is no such level.
    """
    if level not in LEVELS:
        raise ConfigError(f"no level {level!r}", key="log-level", hint=", ".join(LEVELS))
    terminal = sys.stderr.isatty()
    if json is None:
        json = not terminal
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        without_secrets,
        spelled_out,
    ]
    render: Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(
            colors=terminal, exception_formatter=structlog.dev.plain_traceback
        )
    )
    least = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*before, render],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *before,
                render,
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(least, logging.WARNING), force=True)


def without_secrets(
    logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """
    Drop what stands under a secret key. A structlog processor.
    """
    del logger, method
    return {key: _without_secrets(value) for key, value in event.items() if not _is_secret(key)}


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_secrets(v) for k, v in value.items() if not _is_secret(k)}
    if isinstance(value, list | tuple):
        return [_without_secrets(each) for each in value]
    return value


def _is_secret(key: object) -> bool:
    return isinstance(key, str) and key.lower() in SECRET


def spelled_out(
    logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """
    Spell out every character that would act instead of being seen. A structlog processor.

    A traceback keeps its line ends; whoever prints to a terminal needs them.
    """
    del logger, method
    return {
        escaped(key): (
            "\n".join(map(escaped, value.split("\n")))
            if key in {"exception", "stack"} and isinstance(value, str)
            else _spelled_out(value)
        )
        for key, value in event.items()
    }


def _spelled_out(value: Any) -> Any:
    if isinstance(value, str):
        return escaped(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {escaped(str(k)): _spelled_out(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled_out(each) for each in value]
    return escaped(repr(value))
