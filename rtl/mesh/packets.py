"""Packets through a mesh router: five inputs, five outputs, and what joins them."""

from typing import Any

from amaranth import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.input_port import InputPort
from syncfabric.rtl.mesh.output_port import OutputPort
from syncfabric.rtl.mesh.ports import DIRECTIONS
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.parts.link import LocalLinkSignature

__all__ = ["PORT_NAMES", "PacketRouter", "place_ports"]

PORT_NAMES = (*DIRECTIONS, "local")
"""Names of all ports, by number."""


def place_ports(
    m: Module, network: MeshSpec, x: Value, y: Value
) -> tuple[list[InputPort], list[OutputPort]]:
    """Place a router's ports and join them for ordinary flits; links are the caller's.

    Parameters
    ----------
    m : Module
        The router's.
    network : MeshSpec
    x, y : Value
        Position of the router.
    """
    inputs = [InputPort(network, port) for port in range(5)]
    outputs = [OutputPort(network, port) for port in range(5)]
    for port, name in enumerate(PORT_NAMES):
        m.submodules[f"input_{name}"] = inputs[port]
        m.submodules[f"output_{name}"] = outputs[port]
    has_credit = Cat(output.has_credit for output in outputs)
    busy = Cat(output.busy for output in outputs)
    for i, source in enumerate(inputs):
        m.d.comb += [
            source.x.eq(x),
            source.y.eq(y),
            source.has_credit.eq(has_credit),
            source.busy.eq(busy),
            source.take.eq(Cat(output.take[i] for output in outputs).any()),
        ]
        for o, output in enumerate(outputs):
            m.d.comb += [
                output.offer[i].eq(source.offer[o]),
                getattr(output, f"offer_channel_{i}").eq(source.offer_channel),
                getattr(output, f"flit_{i}").eq(source.flit),
            ]
    return inputs, outputs


class PacketRouter(wiring.Component):
    """A mesh router of packets alone: one cycle a hop.

    Cycles as in docs/microarchitecture.md, sections 1 to 3, without messages.

    Parameters
    ----------
    network : MeshSpec
        Buffer places, channels; barriers are not messages.

    Members
    -------
    x, y : In
        Position of the router.
    east_in .. local_in : In(LocalLinkSignature), east_out .. local_out : Out(LocalLinkSignature)
        Its links.
    overflows : Out(range(6))
        Flits dropped for want of room in this cycle.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network = network
        link = LocalLinkSignature(network.layout, network.link_channels)
        members: dict[str, Any] = {
            "x": In(network.layout.x_bits),
            "y": In(network.layout.y_bits),
            "overflows": Out(range(6)),
        }
        for name in PORT_NAMES:
            members |= {f"{name}_in": In(link), f"{name}_out": Out(link)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inputs, outputs = place_ports(m, self._network, self.x, self.y)
        for name, source, output in zip(PORT_NAMES, inputs, outputs, strict=True):
            wiring.connect(m, wiring.flipped(getattr(self, f"{name}_in")), source.link)
            wiring.connect(m, output.link, wiring.flipped(getattr(self, f"{name}_out")))
        m.d.comb += self.overflows.eq(total([source.overflow for source in inputs]))
        return m
