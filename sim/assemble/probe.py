"""What a bench sees of the hardware: a line of text for every cycle in which a wire is high.

A line holds, in hexadecimal and separated by blanks, the cycle, then `valid`, `credit` and
`release` of the whole network, the flits on the valid links in ascending order (an ordinary flit
before a synchronization message where links carry both), the results of the released registers,
`sNODE:GID:RESULT` for each spilled release, and `cERROR:DATA` for an answer of the config port.
In a cycle with a release a second line begins with `o` and holds `NODE:OBSERVE` for each router
whose observed state is not what it was when last printed. Quiet cycles cost nothing.

Links: output `port` of node n is 5 * n + port, injection at n is 5 * N + n; each has
``channels + 2`` bits, the ordinary channels below the two classes of synchronization.
"""

from collections.abc import Iterator

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.mesh import NETWORK_PORTS, observe_bits
from syncfabric.sim.assemble.verilog import part, zero

__all__ = ["bits_a_link", "link_count", "probe_text"]


def bits_a_link(spec: MeshSpec) -> int:
    """Return how many bits of `valid`, or of `credit`, a link has."""
    return spec.channels + 2


def link_count(spec: MeshSpec) -> int:
    """Return the number of links: five outputs a router, and its injection."""
    return 6 * spec.width * spec.height


def probe_text(spec: MeshSpec, dut: str) -> str:
    """Return the probe, to stand in the bench's module.

    Parameters
    ----------
    spec : MeshSpec
        The network.
    dut : str
        Instance of the network's top; the probe reads the wires inside by their names.

    The module that it stands in has `clk`, `rst`, `load` (which also flushes the file),
    `cycle` and wires named like the top's ports.
    """
    nodes = spec.mesh.nodes
    width = link_count(spec) * bits_a_link(spec)
    count = len(nodes)
    spilled = "spill_release_valid" if spec.spill else zero(count)
    return f"""
  // ---- probe
  reg [8*1024-1:0] probe_name;
  integer probe_file;
  initial begin
    if (!$value$plusargs("probe=%s", probe_name)) probe_name = "probe.txt";
    probe_file = $fopen(probe_name, "w");
  end
  reg [{width - 1}:0] probe_valid;
  reg [{width - 1}:0] probe_credit;
{_lines(f"  reg [{observe_bits(spec) - 1}:0] seen_{x}_{y};" for x, y in nodes)}
  always @(posedge clk) begin
    if (rst !== 1'b0) begin
{_lines(f"      seen_{x}_{y} = {zero(observe_bits(spec))};" for x, y in nodes)}
    end else begin
      probe_valid = {{
{_concatenation(spec, dut, "valid")}}};
      probe_credit = {{
{_concatenation(spec, dut, "credit")}}};
      if (probe_valid !== {zero(width)} || probe_credit !== {zero(width)} ||
          released !== {zero(count * spec.barrier_registers)} ||
          {spilled} !== {zero(count)} || config_ready !== 1'b0) begin
        $fwrite(probe_file, "%0h %0h %0h %0h",
                cycle, probe_valid, probe_credit, released);
        if (probe_valid !== {zero(width)}) begin
{_lines(_flits(spec, dut))}
        end
        if (released !== {zero(count * spec.barrier_registers)}) begin
{_lines(_results(spec))}
        end
{_lines(_spilled(spec))}
        if (config_ready !== 1'b0)
          $fwrite(probe_file, " c%0h:%0h", config_error, config_rdata);
        $fwrite(probe_file, "\\n");
        if (released !== {zero(count * spec.barrier_registers)} ||
            {spilled} !== {zero(count)}) begin
          $fwrite(probe_file, "o");
{_lines(_observed(spec, dut))}
          $fwrite(probe_file, "\\n");
        end
      end
    end
    if (load) $fflush(probe_file);
  end
"""


def _lines(lines: Iterator[str]) -> str:
    return "\n".join(lines)


def _output(dut: str, node: Node, port: Port) -> str:
    return f"{dut}.link_{node[0]}_{node[1]}_{port.name.lower()}"


def _concatenation(spec: MeshSpec, dut: str, kind: str) -> str:
    """Return every link's bits of ``kind``, the highest first."""
    terms = []
    for i, node in enumerate(spec.mesh.nodes):
        for port in NETWORK_PORTS:
            if spec.mesh.neighbour(node, port):
                wire = _output(dut, node, port)
                terms.append(f"{wire}_sync_{kind}, {wire}_{kind}")
            else:
                terms.append(zero(bits_a_link(spec)))
        terms.append(f"2'd0, {part(f'eject_{kind}', i, spec.channels)}")
    for i in range(len(spec.mesh.nodes)):
        terms.append(f"2'd0, {part(f'inject_{kind}', i, spec.channels)}")
    return ",\n".join(f"        {term}" for term in reversed(terms))


def _flits(spec: MeshSpec, dut: str) -> Iterator[str]:
    """Yield the statements that print the flits on the links."""
    channels, width = spec.channels, spec.layout.flit.width
    bits = bits_a_link(spec)
    for i, node in enumerate(spec.mesh.nodes):
        yield f"          if ({part('probe_valid', i, 5 * bits)} !== {zero(5 * bits)}) begin"
        for port in NETWORK_PORTS:
            if spec.mesh.neighbour(node, port):
                wire = _output(dut, node, port)
                valid, sync_valid = f"{wire}_valid", f"{wire}_sync_valid"
                if spec.sync_links == "own":
                    yield _print(valid, channels, f"{wire}_flit")
                    yield _print(sync_valid, 2, f"{wire}_sync")
                else:
                    yield _print(f"{{{valid}, {sync_valid}}}", bits, f"{wire}_flit")
        yield _print(part("eject_valid", i, channels), channels, part("eject_flit", i, width))
        yield "          end"
    for i in range(len(spec.mesh.nodes)):
        yield _print(part("inject_valid", i, channels), channels, part("inject_flit", i, width))


def _print(valid: str, width: int, flit: str) -> str:
    return f'          if ({valid} !== {zero(width)}) $fwrite(probe_file, " %0h", {flit});'


def _results(spec: MeshSpec) -> Iterator[str]:
    """Yield the statements that print the results of released registers."""
    registers, data = spec.barrier_registers, spec.data_bits
    for i in range(len(spec.mesh.nodes)):
        yield f"          if ({part('released', i, registers)} !== {zero(registers)}) begin"
        for r in range(i * registers, (i + 1) * registers):
            value = part("result", r, data) if data else "1'b0"
            yield (
                f"            if ({part('released', r, 1)} !== 1'b0) "
                f'$fwrite(probe_file, " %0h", {value});'
            )
        yield "          end"


def _spilled(spec: MeshSpec) -> Iterator[str]:
    """Yield the statements that print the releases of spilled groups."""
    if not spec.spill:
        return
    count, data = len(spec.mesh.nodes), spec.data_bits
    yield f"        if (spill_release_valid !== {zero(count)}) begin"
    for i in range(count):
        value = part("spill_release_result", i, data) if data else "1'b0"
        yield (
            f"          if ({part('spill_release_valid', i, 1)} !== 1'b0) "
            f'$fwrite(probe_file, " s{i:x}:%0h:%0h", {part("spill_release_gid", i, 8)}, {value});'
        )
    yield "        end"


def _observed(spec: MeshSpec, dut: str) -> Iterator[str]:
    """Yield the statements that print what changed of the routers' observed state."""
    for i, (x, y) in enumerate(spec.mesh.nodes):
        yield f"          if ({dut}.node_{x}_{y}.observe !== seen_{x}_{y}) begin"
        yield f"            seen_{x}_{y} = {dut}.node_{x}_{y}.observe;"
        yield f'            $fwrite(probe_file, " {i:x}:%0h", seen_{x}_{y});'
        yield "          end"
