"""What nodes send from and receive into beside barriers, chosen in one place."""

from typing import TypeAlias

from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.assemble.streams import Streams
from syncfabric.sim.assemble.traffic import Packets

Part: TypeAlias = Packets | Streams


def parts_of(spec: AnySpec) -> list[Part]:
    """Return the parts of a network's nodes, in the order of ports and reports."""
    if isinstance(spec, StaticSpec):
        return []
    packets: list[Part] = [Packets(spec)] if spec.channels else []
    return [*packets, Streams(spec)] if spec.streams else packets
