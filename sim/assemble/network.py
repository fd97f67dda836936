"""A whole network as Verilog, whatever its kind."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.assemble import nodes, static
from syncfabric.sim.assemble.top import LinkWires, Shown
from syncfabric.sim.assemble.verilog import closed

__all__ = [
    "constant_inputs",
    "link_wires",
    "module_names",
    "modules_verilog",
    "reset_cycles",
    "shown_links",
    "targets",
    "top_ports",
    "top_verilog",
    "verilog",
]


def verilog(spec: AnySpec, name: str) -> str:
    """Return one Verilog file for a network: the modules that it is made of, and its top.

    Parameters
    ----------
    spec : AnySpec
        The network.
    name : str
        Name of the top module. Its ports: ``docs/ports.md``.
    """
    modules = modules_verilog(spec)
    return f"{closed(top_verilog(spec, name), modules)}\n{modules}"


def module_names(spec: AnySpec) -> tuple[str, ...]:
    """Return the names of the modules that the top places."""
    return (
        static.module_names(spec)
        if isinstance(spec, StaticSpec)
        else nodes.module_names(spec.shape)
    )


def top_ports(spec: AnySpec) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    return static.top_ports(spec) if isinstance(spec, StaticSpec) else nodes.top_ports(spec)


def modules_verilog(spec: AnySpec) -> str:
    """Return the Verilog of these modules and all that they are made of."""
    if isinstance(spec, StaticSpec):
        return static.modules_verilog(spec)
    return nodes.modules_verilog(spec.shape)


def top_verilog(spec: AnySpec, name: str) -> str:
    """Return the module that places and connects them."""
    if isinstance(spec, StaticSpec):
        return static.top_verilog(spec, name)
    return nodes.top_verilog(spec, name)


def constant_inputs(spec: AnySpec) -> tuple[str, ...]:
    """Return the inputs of a router that are tied to constants where it is placed."""
    return () if isinstance(spec, StaticSpec) else nodes.constant_inputs(spec)


def reset_cycles(spec: AnySpec) -> int:
    """Return how many cycles of reset a network is given: what is on its links must go, too."""
    most = 0 if isinstance(spec, StaticSpec) else spec.shape.router.most_registers
    return max(4, most + 2)


def link_wires(spec: AnySpec) -> LinkWires:
    """Return the wires of a link between routers."""
    return static.link_wires(spec) if isinstance(spec, StaticSpec) else nodes.link_wires(spec.shape)


def targets(spec: AnySpec) -> list[tuple[str, int]]:
    """Return instance and width of each ``observe``, as config counts them; engines have none."""
    return static.targets(spec) if isinstance(spec, StaticSpec) else []


def shown_links(spec: AnySpec, top: str) -> Iterator[Shown | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    if isinstance(spec, StaticSpec):
        return static.shown_links(spec, top)
    return nodes.shown_links(spec, top)
