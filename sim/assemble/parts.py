"""What nodes send from and receive into beside barriers, chosen in one place."""

from collections.abc import Callable
from typing import Any, TypeAlias

from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.assemble.streams import Streams
from syncfabric.sim.assemble.traffic import Packets

Part: TypeAlias = Packets | Streams


def parts_of(spec: AnySpec) -> list[Part]:
    """Return the parts of a network's nodes, in the order of ports and reports."""
    channels: dict[Callable[[Any], Part], int] = {Packets: spec.channels, Streams: spec.streams}
    return [part(spec) for part, there in channels.items() if there]
