"""
From sums to means, ratings and likelihoods, each with its error; see `book`.
"""

from tournaments.ratings.book import Pair, Ratings, rate
from tournaments.ratings.means import LEVEL, Difference, Mean, Strata, mean_of, student_t
from tournaments.ratings.strengths import CENTRE, SCALE, Strength, strengths

__all__ = [
    "CENTRE",
    "LEVEL",
    "SCALE",
    "Difference",
    "Mean",
    "Pair",
    "Ratings",
    "Strata",
    "Strength",
    "mean_of",
    "rate",
    "strengths",
    "student_t",
]
