"""Simulators: found on the machine, given a design to build, and run.

A build is made once and kept in a cache.
Nothing here knows what the design does.
"""

from collections.abc import Callable
from typing import TypeAlias

from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators.icarus import Icarus
from syncfabric.sim.simulators.verilator import Verilator

Simulator: TypeAlias = Icarus | Verilator

SIMULATORS: dict[str, Callable[[], Simulator]] = {
    "verilator": Verilator.find,
    "icarus": Icarus.find,
}
"""How to find each simulator, by the name that a user gives it."""


def find_simulator(name: str) -> Simulator:
    """Find a simulator on this machine.

    Parameters
    ----------
    name : str
        ``verilator`` or ``icarus``.

    Raises
    ------
    ToolError
        The name is not one of these, or the simulator is missing; the message says what to do.
    """
    if name not in SIMULATORS:
        raise ToolError(
            f"simulator {name!r} is not known; it must be one of {', '.join(SIMULATORS)}"
        )
    return SIMULATORS[name]()
