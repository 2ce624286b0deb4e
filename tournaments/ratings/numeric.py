"""
The arithmetic that needs numpy and scipy, and nothing else does.

Both take a fifth of a second to import, so this module is imported by those who need a
number, when they need it, and `league --help` needs none. `scipy.optimize` would take as long
again, for what are ten lines where the curvature is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, stdtr, stdtrit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


_STILL = 1e-10
"""A change of strength that is none; a point of a rating is 0.006."""

_NOISE = 1 + 1e-12
"""What rounding may add to a loss that has not risen."""

_STEPS = 100
"""Of Newton's method; it takes about ten."""


def quantile(freedom: int, probability: float) -> float:
    """
    Return below which value Student's variable lies with *probability*.
    """
    return float(stdtrit(freedom, probability))


def probability_below(freedom: int, value: float) -> float:
    """
    Return with which probability Student's variable lies below *value*.
    """
    return float(stdtr(freedom, value))


def fit(
    orders: Mapping[tuple[int, ...], float], count: int
) -> tuple[list[float], list[list[float]]]:
    """
    Fit strengths to orders, by the model of Plackett and Luce.

    The best of those in an order is picked with the odds exp(strength), then the best of
    those that are left, and so on. With two in each order that is the model of Bradley
    and Terry. Every bot has drawn once against a bot of strength 0 besides, so there is
    always exactly one best fit, and it is finite.

    Args:
        orders: Numbers of bots, best first, and how often that came; all of one length.
        count: Bots, numbered from 0.

    Returns:
        By bot the strength, less the mean of all, and the covariances of these.
    """
    rows = sorted(orders)
    model = _Model(np.array(rows), np.array([float(orders[row]) for row in rows]), count)
    found = _lowest(model, np.zeros(count))
    centre = np.eye(count) - 1 / count
    covariance = centre @ np.linalg.inv(model.curvature(found)) @ centre
    strengths = centre @ found
    return strengths.tolist(), covariance.tolist()


def _lowest(model: _Model, start: Vector) -> Vector:
    """
    Return the strengths of the least loss, by Newton's method.

    The loss is convex, so where a full step leads too far, half of it or half of that does not.
    """
    at, loss = start, model.loss(start)
    for _ in range(_STEPS):
        step = np.linalg.solve(model.curvature(at), model.slope(at))
        while (lower := model.loss(at - step)) > loss * _NOISE:
            step /= 2
        at, loss = at - step, lower
        if np.abs(step).max() < _STILL:
            break
    return at


class _Model:
    """
    How badly strengths explain orders, and which way is better.
    """

    def __init__(self, orders: NDArray[np.int64], weights: Vector, count: int) -> None:
        self._orders = orders
        self._weights = weights
        self._count = count
        self._choices = orders.shape[1] - 1

    def loss(self, strengths: Vector) -> float:
        """
        Minus the logarithm of the likelihood, virtual draws included.
        """
        held = strengths[self._orders]
        total = float(np.sum(np.logaddexp(0.0, strengths) - strengths / 2))
        for first in range(self._choices):
            lost: Vector = np.logaddexp.reduce(held[:, first:], axis=1) - held[:, first]
            total += float(self._weights @ lost)
        return total

    def slope(self, strengths: Vector) -> Vector:
        """
        The gradient of `loss`.
        """
        slope: Vector = expit(strengths) - 0.5
        for first in range(self._choices):
            chances = self._chances(strengths, first)
            np.add.at(slope, self._orders[:, first:], self._weights[:, None] * chances)
            np.add.at(slope, self._orders[:, first], -self._weights)
        return slope

    def curvature(self, strengths: Vector) -> Vector:
        """
        The second derivatives of `loss`: positive definite, thanks to the virtual draws.
        """
        half = expit(strengths)
        curvature: Vector = np.diag(half * (1 - half))
        for first in range(self._choices):
            chances = self._chances(strengths, first)
            left = self._orders[:, first:]
            weighted = self._weights[:, None] * chances
            np.add.at(curvature, (left, left), weighted)
            np.add.at(
                curvature,
                (left[:, :, None], left[:, None, :]),
                -weighted[:, :, None] * chances[:, None, :],
            )
        return curvature

    def _chances(self, strengths: Vector, first: int) -> Any:
        """
        The chance of each that is left to be picked next.
        """
        held = strengths[self._orders[:, first:]]
        return np.exp(held - np.logaddexp.reduce(held, axis=1, keepdims=True))
