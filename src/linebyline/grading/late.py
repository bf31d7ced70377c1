"""What is late, and what it costs: days are days of the calendar, also when summer time begins or ends."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class LateRule:
    """What is taken off for each day that has begun, and the last day on which something still counts.

    Without a rule, which is ``LateRule()``, late work counts in full.
    """

    percent_per_day: float = 0.0
    last_day: int | None = None

    def factor(self, days: int) -> float:
        """By what points are multiplied after some days.

        Example:
            >>> rule = LateRule(percent_per_day=10, last_day=3)
            >>> [rule.factor(days) for days in range(5)]
            [1.0, 0.9, 0.8, 0.7, 0.0]
        """
        if self.last_day is not None and days > self.last_day:
            return 0.0
        return max(0.0, 100 - self.percent_per_day * days) / 100

    def __str__(self) -> str:
        """The rule as students read it; without one there is nothing to say."""
        if not self.percent_per_day and self.last_day is None:
            return ""
        costs = f"Each day that has begun after that costs {self.percent_per_day:g} % of the points."
        if self.last_day is None:
            return costs
        ends = "Nothing counts that comes later" if not self.last_day else f"After day {self.last_day} nothing counts"
        return f"{ends}." if not self.percent_per_day or not self.last_day else f"{costs} {ends}."


def days_late(due: datetime, zone: ZoneInfo, received: datetime) -> int:
    """Count the days that have begun since something was due, by the clock on the wall.

    Args:
        due: When it is due, in local time and without an offset.
        zone: Where that clock hangs.
        received: When it came, with an offset.

    Returns:
        The least number of days that ``due`` has to move for the work to be in time: 0 if it is in time.

    Raises:
        ValueError: ``due`` has an offset, or ``received`` has none.

    Example:
        A day of 25 hours, as the clock is put back: 24 hours and a half later it is still the first day.

        >>> due, berlin = datetime(2026, 10, 24, 23, 59), ZoneInfo("Europe/Berlin")
        >>> [days_late(due, berlin, datetime(2026, 10, 25, h, m, tzinfo=UTC)) for h, m in [(22, 29), (22, 59), (23, 0)]]
        [1, 1, 2]
    """
    if due.tzinfo is not None or received.tzinfo is None:
        raise ValueError(f"expected a local due time and a received time with an offset, got {due} and {received}")
    days = max(0, (received - moment(due, zone)).days - 1)  # the loop needs at most three steps from here
    while received > moment(due + timedelta(days=days), zone):
        days += 1
    return days


def moment(local: datetime, zone: ZoneInfo) -> datetime:
    """Return a local time as a moment: the later one where the clock shows it twice, or not at all."""
    return max(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
