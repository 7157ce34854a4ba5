from . import series as series_module
from .series import Series, process_data


def mean(series: Series) -> float:
    if not series.values:
        return 0.0
    return process_data(series) / len(series.values)


def lines(series: Series, unit: str = "mm") -> "list[str]":
    return [
        series.name,
        f"  highest {series.highest()} {unit}",
        f"  mean    {mean(series):.2f} {unit}",
        "  Σ 合計 🌂 " + str(process_data(series)) + " " + unit,
        f"  doubled {series_module.process_data(series, 2)} {unit}",
    ]
