"""The project's own benches, played on a device in this process: their found, no other."""

import itertools
from collections.abc import Callable, Coroutine, Iterator, Mapping
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tests.mutation.netlist.device import Bench, Device

Play = Callable[[Device], None]
"""Raises an AssertionError, or whatever else a bench comes to, when the device is wrong."""


def plays_of(module: ModuleType, case: str | None = None, spec: Any = None) -> Iterator[Play]:
    """Yield the cocotb tests of a bench, each with all its parameters.

    Parameters
    ----------
    module : module
        It makes a ``Bench`` of what it is given.
    case : str, optional
        The only value of the parameter ``case``.
    spec : optional
        What `CASES` of the module shall say of that case.
    """
    for name, test in vars(module).items():
        options: Any = getattr(test, "options", None)
        if options is None or not hasattr(test, "func"):
            continue
        fixed = [
            (key, [case] if key == "case" and case is not None else values)
            for key, values in options
        ]
        for values in itertools.product(*(values for _, values in fixed)):
            given = dict(zip((key for key, _ in fixed), values, strict=True))
            yield _play(module, f"{module.__name__}.{name}", test.func, given, case, spec)


def _play(
    module: ModuleType,
    name: str,
    test: Callable[..., Coroutine[None, None, None]],
    given: Mapping[str, Any],
    case: str | None,
    spec: Any,
) -> Play:
    def play(device: Device) -> None:
        cases = {**getattr(module, "CASES", {}), **({case: spec} if spec is not None else {})}
        with (
            patch.object(module, "Bench", Bench),
            patch.object(module, "CASES", cases, create=True),
        ):
            _finish(test(device, **given))

    play.__name__ = name
    return play


def _finish(bench: Coroutine[None, None, None]) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        bench.send(None)
    except StopIteration:
        return
    raise RuntimeError("a bench waits for a simulator that is not there")
