"""Which members were released though their barrier did not end, as the hardware shows it."""

from __future__ import annotations

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.targets import targets_of

__all__ = ["BrokenSeats"]


class BrokenSeats:
    """Reads ``broken`` off what is observed in every cycle with a release.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec

    Attributes
    ----------
    seats : set of (node, register)
        Whose ``broken`` or ``tripped`` is 1.
    """

    def __init__(self, network: MessageSpec) -> None:
        self._targets = targets_of(network)
        self.seats: set[tuple[int, int]] = set()

    def observe(self, line: Line) -> None:
        """Take in what has changed of ``observe``."""
        for target, value in line.observed or ():
            if target < self._targets.nodes:
                registers, _ = self._targets.split(target, value)
                for number, fields in enumerate(registers):
                    broken = fields.get("broken") or fields.get("tripped")
                    change = self.seats.add if broken else self.seats.discard
                    change((target, number))
