"""Rain gauges and what they measured."""

from .series import Series, process_data

__all__ = ["Series", "process_data"]
