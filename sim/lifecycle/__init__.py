"""The software that sets groups up on networks of engines and ends them, as programs.

A program is a generator (`effects`): it yields requests to config targets, and pauses, and is sent
the answers. Whoever performs it has the hardware, a model of it, or a driver's config port.
"""

from syncfabric.models.layout.network import NetworkShape
from syncfabric.sim.lifecycle.commands import ByChain, ByManagers
from syncfabric.sim.lifecycle.effects import HANG
from syncfabric.sim.lifecycle.lifecycle import TRIES, Lifecycle

__all__ = ["ByChain", "ByManagers", "Lifecycle", "lifecycle_of"]


def lifecycle_of(shape: NetworkShape, *, patience: int = HANG, tries: int = TRIES) -> Lifecycle:
    """Return the software of a network: by its managers, or without any over the config chain."""
    return (ByManagers if shape.managers else ByChain)(shape, patience=patience, tries=tries)
