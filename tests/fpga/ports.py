"""The ports of all modules that are shipped, as lines; ``python -m tests.fpga.ports`` prints them.

What is printed is kept in ``ports.txt``: a change of a port is a change there, and in
``docs/ports.md``.
"""

from collections.abc import Iterator

from amaranth.hdl import Value
from amaranth.lib import wiring

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.sim.assemble.host import front_ports
from syncfabric.sim.assemble.network import top_ports
from syncfabric.sim.front import FRONTS, Front
from tests.models.register_map.networks import NETWORKS, network


def component_ports(component: wiring.Component) -> Iterator[tuple[str, str, int]]:
    """Yield direction, name and width of a component's ports in Verilog, but clock and reset."""
    for path, member, port in component.signature.flatten(component):
        width = len(Value.cast(port))
        if width:
            direction = "in" if member.flow == wiring.In else "out"
            yield direction, "__".join(str(part) for part in path), width


def listing() -> Iterator[str]:
    """Yield a line for each module, and one for each of its ports; equal ones are listed once."""
    listed: dict[tuple[str, ...], str] = {}
    for module, ports in _modules():
        lines = tuple(
            sorted(f"  {direction:3} {width:4} {name}" for direction, name, width in ports)
        )
        if lines in listed:
            yield f"{module}: as {listed[lines]}"
        else:
            listed[lines] = module
            yield f"{module}:"
            yield from lines


def _modules() -> Iterator[tuple[str, list[tuple[str, str, int]]]]:
    for name, block in BLOCKS.items():
        yield name, list(component_ports(block.make(block.network())))
    static = network("circuit").network
    assert isinstance(static, StaticSpec)
    yield "static_loader", list(component_ports(RouteLoader(static)))
    short = {"input": "in", "output": "out"}
    for name in NETWORKS:
        ports = top_ports(network(name).network)
        tops = [(short[direction], port, bits) for direction, port, bits in ports if bits != 0]
        yield f"network {name}", [(flow, port, bits or 1) for flow, port, bits in tops]
    for kind in FRONTS:
        fronts = front_ports(Front(kind))
        yield f"front {kind}", [(short[flow], port, bits or 1) for flow, port, bits in fronts]


if __name__ == "__main__":
    print("\n".join(listing()))
