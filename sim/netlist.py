"""What a synthesizer made of a network, to be simulated in place of its RTL."""

from collections.abc import Callable
from dataclasses import dataclass

from syncfabric.models.networks.spec import AnySpec

__all__ = ["Netlist"]


@dataclass(frozen=True)
class Netlist:
    """A way to get the netlist of a network.

    Parameters
    ----------
    name : str
        What the user calls it.
    make : callable
        Given a network and a name, returns Verilog of a module of that name with the network's
        ports, and of the cells that it is made of. In it the links are called as in the network's
        top, and ``observe`` of the instance ``i`` there is the wire ``i.observe``.
    """

    name: str
    make: Callable[[AnySpec, str], str]
