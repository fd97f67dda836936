"""Which cases of a test run by default, and which only with ``-m nightly``."""

from collections.abc import Iterable
from typing import Any

import pytest


def nightly_but(kept: Iterable[object], cases: Iterable[object]) -> list[Any]:
    """Return the cases of a test; those that are not kept run only with ``-m nightly``.

    A tuple is a case of several arguments.

    Raises
    ------
    ValueError
        What is kept is no case.
    """
    kept, cases = list(kept), list(cases)
    if strangers := [case for case in kept if case not in cases]:
        raise ValueError(f"no cases of this test: {strangers}")
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else [case]),
            marks=[] if case in kept else pytest.mark.nightly,
        )
        for case in cases
    ]


def long_by_night(
    kept: Iterable[object], cases: Iterable[object], short: int, long: int
) -> list[Any]:
    """Return cases with a length each: the kept ones short by default, all of them long by night.

    Raises
    ------
    ValueError
        What is kept is no case.
    """
    chosen = nightly_but(kept, cases)
    return [
        pytest.param(*case.values, length, marks=marks)
        for length, marks in ((short, []), (long, [pytest.mark.nightly]))
        for case in chosen
        if length == long or not case.marks
    ]
