"""A whole network as Verilog, whatever its kind."""

from collections.abc import Iterator
from typing import Any, Protocol

from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.assemble import nodes, static
from syncfabric.sim.assemble.top import LinkProbe, LinkWires
from syncfabric.sim.assemble.verilog import closed


class _Kind(Protocol):
    """What a module of this folder has for its kind of network."""

    def constant_inputs(self, spec: Any) -> tuple[str, ...]: ...
    def link_wires(self, spec: Any) -> LinkWires: ...
    def module_names(self, spec: Any) -> tuple[str, ...]: ...
    def modules_verilog(self, spec: Any) -> str: ...
    def registers(self, spec: Any) -> int: ...
    def link_probes(self, spec: Any, top: str) -> Iterator[LinkProbe | None]: ...
    def targets(self, spec: Any) -> list[tuple[str, int]]: ...
    def top_ports(self, spec: Any, *, taps: bool) -> Iterator[tuple[str, str, int | None]]: ...
    def top_verilog(self, spec: Any, name: str) -> str: ...


def _of(spec: AnySpec) -> _Kind:
    return static if isinstance(spec, StaticSpec) else nodes


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
    return _of(spec).module_names(spec)


def top_ports(spec: AnySpec, *, taps: bool = False) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector.

    With ``taps`` those of taps before the nodes are among them, if there is a chain to have them.
    """
    return _of(spec).top_ports(spec, taps=taps)


def modules_verilog(spec: AnySpec) -> str:
    """Return the Verilog of these modules and all that they are made of."""
    return _of(spec).modules_verilog(spec)


def top_verilog(spec: AnySpec, name: str) -> str:
    """Return the module that places and connects them."""
    return _of(spec).top_verilog(spec, name)


def constant_inputs(spec: AnySpec) -> tuple[str, ...]:
    """Return the inputs of a router that are tied to constants where it is placed."""
    return _of(spec).constant_inputs(spec)


def reset_cycles(spec: AnySpec) -> int:
    """Return how many cycles of reset a network is given: what is on its links must go, too."""
    return max(4, _of(spec).registers(spec) + 2)


def link_wires(spec: AnySpec) -> LinkWires:
    """Return the wires of a link between routers."""
    return _of(spec).link_wires(spec)


def targets(spec: AnySpec) -> list[tuple[str, int]]:
    """Return instance and width of each ``observe``, as config counts them; engines have none."""
    return _of(spec).targets(spec)


def link_probes(spec: AnySpec, top: str) -> Iterator[LinkProbe | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    return _of(spec).link_probes(spec, top)
