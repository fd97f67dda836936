"""The part of the probe that looks at barrier wires: at links whose word has changed."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.sim.assemble.network import shown_wires
from syncfabric.sim.assemble.verilog import zero

__all__ = ["WireProbe"]


class WireProbe:
    """Lines of the probe's Verilog; there are none where a network has no barrier wires.

    Parameters
    ----------
    spec : MeshSpec, IrregularSpec or StaticSpec
        The network.
    dut : str
        Instance of the network's top.
    """

    def __init__(self, spec: AnySpec, dut: str) -> None:
        self._plane = None if isinstance(spec, StaticSpec) else spec.wire_plane
        self._links: list[tuple[int, str]] = []
        if not isinstance(spec, StaticSpec) and spec.wire_plane:
            shown = enumerate(shown_wires(spec, dut))
            self._links = [(number, wires) for number, wires in shown if wires]

    def declared(self) -> Iterator[str]:
        """Yield the declarations: of each link its wires, and its word as it was printed."""
        if self._plane is None or not self._links:
            return
        width = self._plane.link.width
        yield f"  reg [{self._links[-1][0]}:0] probe_changed;"
        yield f"  function [{width - 1}:0] probe_masked(input [{width - 1}:0] word);"
        yield f"    probe_masked = word & {{{', '.join(_mask(self._plane))}}};"
        yield "  endfunction"
        for number, _ in self._links:
            yield f"  reg [{width - 1}:0] probe_wires_{number};"
            yield f"  reg [{width - 1}:0] probe_word_{number};"

    def reset(self) -> Iterator[str]:
        """Yield what is done in reset."""
        for number, _ in self._links:
            yield f"      probe_wires_{number} = 0; probe_word_{number} = 0;"

    def look(self) -> Iterator[str]:
        """Yield what is done in every cycle: a link is masked only if one of its wires changed."""
        if self._links:
            yield "      probe_changed = 0;"
        for number, wires in self._links:
            yield f"      if ({wires} !== probe_wires_{number}) begin"
            yield f"        probe_wires_{number} = {wires};"
            yield (
                f"        probe_changed[{number}] = "
                f"probe_masked(probe_wires_{number}) !== probe_word_{number};"
            )
            yield "      end"

    def conditions(self) -> Iterator[str]:
        """Yield the condition for a line."""
        if self._links:
            yield f"probe_changed !== {zero(self._links[-1][0] + 1)}"

    def printed(self) -> Iterator[str]:
        """Yield the statements that print the words that changed."""
        for condition in self.conditions():
            yield f"        if ({condition}) begin"
            for number, _ in self._links:
                yield f"          if (probe_changed[{number}]) begin"
                yield f"            probe_word_{number} = probe_masked(probe_wires_{number});"
                yield f'            $fwrite(probe_file, " w{number:x}:%0h", probe_word_{number});'
                yield "          end"
            yield "        end"


def _mask(plane: WirePlane) -> Iterator[str]:
    """Yield which bits of a link's word count, the highest first: data only where a wire is 1."""
    slots, bits = plane.slots, plane.data_bits
    wires = [field for field in plane.link.fields if field.name in ("up", "down")]
    if plane.parity:
        yield "1'b1"
    if bits:
        for slot in reversed(range(len(wires) * slots)):
            yield f"{{{bits}{{word[{slot}]}}}}"
    yield f"{{{len(wires) * slots}{{1'b1}}}}"
