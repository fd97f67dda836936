"""The figures to reach, each measured beside its target: ``scripts/bench``."""
