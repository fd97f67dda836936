"""What a fault is."""

from dataclasses import dataclass

NETWORK = "tests/sim/drive/test_backends.py"
"""Whole networks against the golden model, in every cycle."""


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Parameters
    ----------
    name : str
        What goes wrong.
    file : str
        Source that is changed.
    old, new : str
        The change; ``old`` stands in the file exactly once.
    tests : tuple of str
        Tests to run, the quickest first: files, or tests in them.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = (NETWORK,)
