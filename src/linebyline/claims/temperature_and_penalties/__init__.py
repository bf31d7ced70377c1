"""Claims on temperature and penalties: the scores they change, and the loops they are to prevent."""

from linebyline.claims.temperature_and_penalties.scores import CLAIMS

__all__ = ["CLAIMS"]
