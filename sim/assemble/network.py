"""A whole network as Verilog, whatever its kind."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import (
    AnySpec,
    EngineSpec,
    IrregularSpec,
    MessageSpec,
    StaticSpec,
)
from syncfabric.sim.assemble import irregular, mesh, nodes, static, top
from syncfabric.sim.assemble.top import LinkWires, Shown

__all__ = [
    "link_wires",
    "module_names",
    "modules_verilog",
    "shown_links",
    "shown_wires",
    "targets",
    "top_ports",
    "top_verilog",
    "verilog",
]


def verilog(spec: AnySpec, name: str) -> str:
    """Return one Verilog file for a network: the modules that it is made of, and its top.

    Parameters
    ----------
    spec : MeshSpec, IrregularSpec or StaticSpec
        The network.
    name : str
        Name of the top module. Its ports: ``docs/ports.md``.
    """
    return f"{modules_verilog(spec)}\n{top_verilog(spec, name)}"


def module_names(spec: AnySpec) -> tuple[str, ...]:
    """Return the names of the modules that the top places."""
    if isinstance(spec, StaticSpec):
        return static.MODULES
    if isinstance(spec, EngineSpec):
        return nodes.module_names(spec.shape)
    return irregular.MODULES if isinstance(spec, IrregularSpec) else mesh.MODULES


def top_ports(spec: AnySpec) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    if isinstance(spec, EngineSpec):
        return nodes.top_ports(spec)
    return static.top_ports(spec) if isinstance(spec, StaticSpec) else top.top_ports(spec)


def modules_verilog(spec: AnySpec) -> str:
    """Return the Verilog of these modules and all that they are made of."""
    if isinstance(spec, StaticSpec):
        return static.modules_verilog(spec)
    if isinstance(spec, EngineSpec):
        return nodes.modules_verilog(spec.shape)
    if isinstance(spec, IrregularSpec):
        return irregular.modules_verilog(spec)
    return mesh.modules_verilog(spec)


def top_verilog(spec: AnySpec, name: str) -> str:
    """Return the module that places and connects them."""
    if isinstance(spec, StaticSpec):
        return static.top_verilog(spec, name)
    if isinstance(spec, EngineSpec):
        return nodes.top_verilog(spec, name)
    if isinstance(spec, IrregularSpec):
        return irregular.top_verilog(spec, name)
    return mesh.top_verilog(spec, name)


def link_wires(spec: AnySpec) -> LinkWires:
    """Return the wires of a link between routers."""
    if isinstance(spec, StaticSpec):
        return static.link_wires(spec)
    if isinstance(spec, EngineSpec):
        return nodes.link_wires(spec.shape)
    if isinstance(spec, IrregularSpec):
        return irregular.link_wires(spec)
    return mesh.link_wires(spec)


def targets(spec: AnySpec) -> list[tuple[str, int]]:
    """Return instance and width of ``observe`` of whatever has registers, as config counts them."""
    if isinstance(spec, StaticSpec):
        return static.targets(spec)
    if isinstance(spec, EngineSpec):
        return []
    if isinstance(spec, IrregularSpec):
        return irregular.targets(spec)
    return mesh.targets(spec)


def shown_links(spec: AnySpec, top: str) -> Iterator[Shown | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    if isinstance(spec, StaticSpec):
        return static.shown_links(spec, top)
    if isinstance(spec, EngineSpec):
        return nodes.shown_links(spec, top)
    if isinstance(spec, IrregularSpec):
        return irregular.shown_links(spec, top)
    return mesh.shown_links(spec, top)


def shown_wires(spec: MessageSpec, top: str) -> Iterator[str | None]:
    """Yield the barrier wires of each of their links, by its number; None: no such link."""
    if isinstance(spec, EngineSpec):
        return iter(())
    if isinstance(spec, IrregularSpec):
        return irregular.shown_wires(spec, top)
    return mesh.shown_wires(spec, top)
