"""The schemes of synchronization, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from syncfabric.sim.drive.schemes.dissemination import Dissemination
from syncfabric.sim.drive.schemes.scheme import Scheme
from syncfabric.sim.drive.schemes.udn import UdnStn
from syncfabric.sim.drive.schemes.ways import Btin, Multicast, Unicast

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["SCHEMES"]

SCHEMES: dict[str, Callable[[Driver], Scheme]] = {
    "btin": Btin,
    "dissemination": Dissemination,
    "multicast": Multicast,
    "udn/stn": UdnStn,
    "unicast": Unicast,
}
"""Every scheme, by its name in a scenario."""
