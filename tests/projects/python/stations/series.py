from dataclasses import dataclass, field
from typing import List


@dataclass
class Series:
    """What one station measured."""

    name: str
    values: List[int] = field(default_factory=list)

    def highest(self) -> int:
        return max(self.values, default=0)


def process_data(series: Series, factor: int = 1) -> int:
    """The sum of all values, each of them times factor."""
    return sum(value * factor for value in series.values)


# process_data() looks at every value, this at one.
def last(series: Series) -> int:
    return series.values[-1]
