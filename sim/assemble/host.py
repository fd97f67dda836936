"""A network with a host: what software talks to, AXI4-Lite or a UART, as one top.

Everything that the host has nothing to do with, as packets, is led out.
"""

from collections.abc import Iterator

from amaranth import Shape
from amaranth.lib import wiring

from syncfabric.models.messages.host import HostShape
from syncfabric.models.networks.spec import AnySpec
from syncfabric.rtl.host.axi_lite import AxiLiteSignature
from syncfabric.rtl.host.ports import NetworkSignature
from syncfabric.rtl.host.registers import HostFront
from syncfabric.sim.assemble.network import top_ports
from syncfabric.sim.assemble.verilog import ModuleWriter, converted
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.front import Front


def host_shape(spec: AnySpec, meters: int, *, traffic: bool = False, streams: int = 0) -> HostShape:
    """Return what a host has to do with on a network, and with sources beside it.

    Raises
    ------
    SpecError
        The network is too large for a host.
    """
    shape = HostShape(
        nodes=len(spec.topology.nodes),
        registers=spec.port_registers,
        data_bits=spec.data_bits,
        targets=spec.targets,
        address_bits=spec.layout.config_address_bits,
        meters=meters,
        last=spec.ends_groups,
        broken=spec.ends_groups,
        traffic=traffic,
        streams=streams,
    )
    shape.check()
    return shape


def host_verilog(spec: AnySpec, name: str, front: Front) -> str:
    """Return the host's module, and the top ``NAME_axi`` or ``NAME_uart``; the network's aside.

    Parameters
    ----------
    spec : AnySpec
        The network.
    name : str
        Name of the network's module.
    front : Front
        What software talks to.

    Raises
    ------
    SpecError
        The network is too large for a host.
    """
    shape = host_shape(spec, front.meters)
    return f"{host_module(front, shape)}\n{_top(spec, name, front, shape)}"


def host_module(front: Front, shape: HostShape) -> str:
    """Return the host's module."""
    cycles = () if front.kind == "axi" else (front.bit_cycles,)
    return converted(HostFront, front.module, shape, *cycles)


def front_ports(front: Front) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the host's ports to software, as its module has them."""
    if front.kind == "axi":
        for name, member in AxiLiteSignature().members.items():
            width = Shape.cast(member.shape).width
            direction = "input" if member.flow == wiring.Out else "output"
            yield direction, f"s_axi__{name}", None if width == 1 else width
    else:
        yield "input", "rx", None
        yield "output", "tx", None
    yield "output", "irq", None


def place_host(
    top: ModuleWriter, spec: AnySpec, front: Front, shape: HostShape, ports: dict[str, str | None]
) -> dict[str, str | None]:
    """Place a host, and return the ports of the network that it is joined to.

    Parameters
    ----------
    top : ModuleWriter
        Gets the host, and wires ``net_...`` between it and the network.
    spec : AnySpec
        The network.
    front : Front
    shape : HostShape
        Of the host.
    ports : dict
        The host's ports but those to the network.
    """
    members = NetworkSignature(shape).members
    widths = {port: Shape.cast(member.shape).width for port, member in members.items()}
    joined = {port: f"net_{port}" for port, bits in widths.items() if bits}
    for port, wire in joined.items():
        top.wire(wire, widths[port])
    top.instance(
        front.module, "host", ports | {f"net__{port}": wire for port, wire in joined.items()}
    )
    there = {port for _, port, _ in top_ports(spec)}
    return {port: wire for port, wire in joined.items() if port in there}


def _top(spec: AnySpec, name: str, front: Front, shape: HostShape) -> str:
    """Return the top: the network, the host, and the wires between them."""
    top = ModuleWriter(f"{name}_{front.kind}")
    clocks: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
    host = dict(clocks)
    for clock in clocks:
        top.port("input", clock)
    for direction, port, width in front_ports(front):
        outside = port.replace("__", "_")
        top.port(direction, outside, width)
        host[port] = outside
    network = clocks | place_host(top, spec, front, shape, host)
    for direction, port, width in top_ports(spec):
        if port not in network and width != 0:
            network[port] = plain(port)
            top.port(direction, port, width)
    top.instance(name, "network", network)
    return top.text()
