"""Tests here share one service a file."""

from tests.served import counters, lasting, reached, running

__all__ = ["counters", "lasting", "reached", "running"]
