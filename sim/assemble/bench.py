"""The top that simulations build: the network, traffic at every node, a player and a probe."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.sim.assemble.links import Links, links_of
from syncfabric.sim.assemble.modules import entry_memory
from syncfabric.sim.assemble.network import (
    link_probes,
    modules_verilog,
    reset_cycles,
    targets,
    top_ports,
    top_verilog,
)
from syncfabric.sim.assemble.parts import parts_of
from syncfabric.sim.assemble.player import player_text
from syncfabric.sim.assemble.top import LinkProbe
from syncfabric.sim.assemble.verilog import NETWORK, ModuleWriter, merged, part, zero
from syncfabric.sim.emit.naming import plain

BENCH = "bench"
"""Name of the top module."""

_CLOCK = """
  reg clk = 0, rst = 1;
  reg [31:0] cycles;
  always #5 clk = !clk;
  initial begin
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 0;
    repeat (@RESET@) @(negedge clk);
    rst = 0;
  end
  always @(posedge clk)
    if (!rst && cycle[9:0] == 0) begin
      $display("cycle %0d", cycle);
      $fflush;
    end
"""


def bench_verilog(spec: AnySpec, *, queue: int = 16384, netlist: str = "") -> str:
    """Return the bench of a network, in one file.

    It runs by itself, for `+cycles=` cycles after the reset. `+script=`, `+probe=` and `+report=`
    name its files; at the end the report gets the traffic's counters and then those of streams, for
    all channels in one, a line of hexadecimal numbers a node (empty on a network that has no
    traffic: a static one, or one without channels and streams); then, if it is no netlist, a line
    a router, ``entries`` and in binary the words of its engine's entries.

    Parameters
    ----------
    spec : AnySpec
        The network.
    queue : int
        Packets that can wait at a source.
    netlist : str
        Verilog of ``NETWORK`` to take in place of its RTL; see `Netlist`.
    """
    bench = ModuleWriter(BENCH)
    bench.lines(_CLOCK.replace("@RESET@", str(reset_cycles(spec))))
    bench.lines(player_text(spec))
    _add_network(bench, spec)
    modules = [netlist] if netlist else [modules_verilog(spec), top_verilog(spec, NETWORK)]
    reported: list[str] = []
    for each in parts_of(spec):
        each.place(bench)
        modules.append(each.verilog(queue))
        reported += each.report
    bench.lines(probe_text(spec, NETWORK, flat=bool(netlist)))
    entries = "" if netlist or isinstance(spec, StaticSpec) else _entries_text(spec)
    bench.lines(_report_text(len(spec.topology.nodes), tuple(reported), entries))
    return merged(*modules, bench.text())


def _add_network(bench: ModuleWriter, spec: AnySpec) -> None:
    """Place the network, connected by wires named like its ports.

    Inputs are declared by the player, except the links to the nodes.
    """
    made_here = [name for each in parts_of(spec) for name, _, _ in each.ports()]
    ports: dict[str, str | None] = {}
    for direction, name, width in top_ports(spec):
        if width != 0:
            ports[name] = plain(name)
            if direction == "output" or name in made_here:
                bench.wire(name, width)
    bench.instance(NETWORK, NETWORK, ports)


def _entries_text(spec: MessageSpec) -> str:
    """Return the statements that report each engine's entries, in binary: a bit may be unknown."""
    layout, inside = spec.shape.router.layout, entry_memory(spec.shape)
    form, lines = " %b" * len(layout.memories), list[str]()
    for router in range(spec.shape.routers):
        path = f"{NETWORK}.router_{router}.{inside}"
        words = ", ".join(f"{path}.{name}[entry]" for name in layout.memories)
        lines += [
            '      $fwrite(report_file, "entries");',
            f"      for (entry = 0; entry < {layout.entries}; entry = entry + 1)",
            f'        $fwrite(report_file, "{form}", {words});',
            '      $fwrite(report_file, "\\n");',
        ]
    return "\n".join(lines)


def _report_text(nodes: int, names: tuple[str, ...], entries: str) -> str:
    """Return the block that ends the run, the nodes' counters written, a line a node."""
    form = " ".join(["%0h"] * len(names))
    writes = "\n".join(
        f"      $fwrite(report_file, {', '.join([line, *(f'{name}_{i}' for name in names)])});"
        for i, line in enumerate([f'"{form}\\n"'] * nodes)
    )
    return f"""
  // ---- report
  reg [8*1024-1:0] report_name;
  integer report_file, entry;
  initial if (!$value$plusargs("report=%s", report_name)) report_name = "report.txt";
  always @(posedge clk)
    if (!rst && cycle == cycles) begin
      report_file = $fopen(report_name, "w");
{writes}
{entries}
      $fclose(report_file);
      $finish;
    end
"""


Guarded = list[tuple[int, list[str]]]
"""Numbers of guarded links, and their guards' wires as Verilog expressions."""

GROUP = 5
"""Links that are looked at together before each is looked at: most are quiet."""


def probe_text(spec: AnySpec, dut: str, *, flat: bool = False) -> str:
    """Return the probe, to stand in the bench's module: a line a cycle in which a wire is high.

    A line holds, in hexadecimal and separated by blanks, the cycle, then `valid`, `credit` and
    `release` of the whole network, the flits on the valid links in ascending order (an ordinary
    flit before a synchronization message where links carry both, then words of barrier wires, then
    that of a stream, and last a 1 for each `stream_fault`), the results of the released registers,
    `gLINK:CHECK:SYNC_CHECK:PROBE:EMPTY` for each link on which a wire of its guards is high,
    `mNODE:TID:LAST:KEEP:USER:DATA` for each beat of `m_axis` that is taken, bytes of data that do
    not count being 0, `pNODE:READY:DONE:BROKEN:RESULT` for each node whose process sees something
    else than in the cycle before, and `cERROR:DATA` for an answer of the config port. In a cycle
    with a release a second line begins with `o` and holds `TARGET:OBSERVE` for each router (target
    of the config port) whose observed state is not what it was when last printed.

    Links and the lanes of each are numbered as in `sim.assemble.links`. Where links have neither
    channels nor messages, `valid` and `credit` are 0.

    Parameters
    ----------
    spec : AnySpec
        The network.
    dut : str
        Instance of the network's top; the probe reads the wires inside by their names.
    flat : bool
        It is one module: ``observe`` of an instance is a wire whose name begins with that of the
        instance.

    The module that it stands in has `clk`, `rst`, `cycle` and wires named like the top's ports, and
    with streams `stream_taken` and `stream_data` of all sinks.
    """
    links = links_of(spec)
    lanes = links.count * links.width
    probes = list(link_probes(spec, dut)) if lanes else []
    count = len(spec.topology.nodes)
    observed = list(enumerate(targets(spec)))
    released = f"released !== {zero(count * spec.port_registers)}"
    inside = dut + (".\\" if flat else ".")
    valid, credit = ("probe_valid", "probe_credit") if lanes else (zero(1), zero(1))
    guarded = [(number, link.guards) for number, link in enumerate(probes) if link and link.guarded]
    conditions = [*_lane_conditions(lanes), released, "config_ready !== 1'b0"]
    conditions += ["probe_guards !== 1'b0"] if guarded else []
    for each in parts_of(spec):
        conditions += each.conditions
    ports = _ports_of(spec)
    conditions += [f"{{{', '.join(ports)}}} !== seen_ports"] if ports else []
    return f"""
  // ---- probe
  reg [8*1024-1:0] probe_name;
  integer probe_file;
  initial begin
    if (!$value$plusargs("probe=%s", probe_name)) probe_name = "probe.txt";
    probe_file = $fopen(probe_name, "w");
  end
{_lines(f"  reg [{lanes - 1}:0] {name};" for name in ("probe_valid", "probe_credit") if lanes)}
{_lines(f"  reg [{bits - 1}:0] seen_{i};" for i, (_, bits) in observed)}
{"  reg probe_guards;" if guarded else ""}
{f"  reg [{sum(ports.values()) - 1}:0] seen_ports;" if ports else ""}
  always @(posedge clk) begin
    if (rst !== 1'b0) begin
{_lines(f"      seen_{i} = {zero(bits)};" for i, (_, bits) in observed)}
{"      seen_ports = 0;" if ports else ""}
    end else begin
{_lines(_look(probes, links))}
{_lines(_look_at_guards(guarded))}
      if ({" || ".join(conditions)}) begin
        $fwrite(probe_file, "%0h %0h %0h %0h",
                cycle, {valid}, {credit}, released);
{_lines(_flits(probes, links, _slot_words(spec)))}
        if ({released}) begin
{_lines(_results(spec))}
        end
{_lines(_print_guards(guarded))}
{_lines(line for each in parts_of(spec) for line in each.prints())}
{_lines(_print_ports(ports, count))}
        if (config_ready !== 1'b0)
          $fwrite(probe_file, " c%0h:%0h", config_error, config_rdata);
        $fwrite(probe_file, "\\n");
        if ({released}) begin
          $fwrite(probe_file, "o");
{_lines(_observed(spec, inside))}
          $fwrite(probe_file, "\\n");
        end
      end
    end
  end
"""


def _lines(lines: Iterator[str]) -> str:
    return "\n".join(lines)


def _lane_conditions(lanes: int) -> Iterator[str]:
    """Yield the conditions for a line because of flits, messages or credits."""
    if lanes:
        yield from (f"{name} !== {zero(lanes)}" for name in ("probe_valid", "probe_credit"))


def _look(probes: list[LinkProbe | None], links: Links) -> Iterator[str]:
    """Yield the statements that gather what is on the links."""
    for kind in ("valid", "credit") if probes else ():
        yield f"      probe_{kind} = {{"
        yield f"{_concatenation(probes, kind, links)}}};"


def _concatenation(probes: list[LinkProbe | None], kind: str, links: Links) -> str:
    """Return every link's bits of ``kind``, the highest first."""
    prefixes = ("stream_", "slots_", "sync_", "")

    def bits(link: LinkProbe) -> Iterator[str]:
        if link.stream:
            yield link.stream_fault if kind == "valid" else zero(links.streams)
        yield from filter(None, (getattr(link, prefix + kind) for prefix in prefixes))

    terms = [", ".join(bits(link)) if link else zero(links.width) for link in probes]
    return ",\n".join(f"        {term}" for term in reversed(terms))


def _look_at_guards(guarded: Guarded) -> Iterator[str]:
    """Yield the statement that looks whether a guard's wire is high."""
    if guarded:
        yield "      probe_guards = |{"
        yield ",\n".join(f"        {', '.join(wires)}" for _, wires in guarded) + "};"


def _print_guards(guarded: Guarded) -> Iterator[str]:
    """Yield the statements that print the guards' wires."""
    for number, wires in guarded:
        words = ", ".join(wires)
        yield (
            f"        if (|{{{words}}} !== 1'b0) "
            f'$fwrite(probe_file, " g{number:x}:%0h:%0h:%0h:%0h", {words});'
        )


def _slot_words(spec: AnySpec) -> tuple[int, int]:
    """Return how many slots of barrier wires are lanes, and the width of their words."""
    return (spec.slots.slots, spec.slots.word.width) if spec.slots else (0, 0)


def _flits(probes: list[LinkProbe | None], lanes: Links, slots: tuple[int, int]) -> Iterator[str]:
    """Yield the statements that print what is on the links: flits, and then other words."""
    if not probes:
        return
    channels, classes, width = lanes.channels + lanes.setup, lanes.classes, lanes.width
    count, bits_of = slots
    yield f"        if (probe_valid !== {zero(len(probes) * width)}) begin"
    for first in range(0, len(probes), GROUP):
        links = probes[first : first + GROUP]
        bits = f"probe_valid[{first * width} +: {len(links) * width}]"
        yield f"          if ({bits} !== {zero(len(links) * width)}) begin"
        for link in filter(None, links):
            if link.sync:
                if link.valid:
                    yield _print(link.valid, channels, link.flit)
                yield _print(link.sync_valid, classes, link.sync)
            else:
                both = ", ".join(filter(None, (link.valid, link.sync_valid)))
                yield _print(f"{{{both}}}", channels + classes, link.flit)
            for s in range(count if link.slots else 0):
                word = f"{link.slots} >> {s * bits_of} & {bits_of}'h{(1 << bits_of) - 1:x}"
                yield _print(f"({link.slots_valid} >> {s} & 1'b1)", 1, word)
            if link.stream:
                yield _print(link.stream_valid, lanes.streams, link.stream)
            for c in range(lanes.streams if link.stream else 0):
                yield _print(f"({link.stream_fault} >> {c} & 1'b1)", 1, "1'b1")
        yield "          end"
    yield "        end"


def _ports_of(spec: AnySpec) -> dict[str, int]:
    """Return what processes see of their registers, with the widths, the highest bits first."""
    if isinstance(spec, StaticSpec):
        return {}
    registers = len(spec.topology.nodes) * spec.port_registers
    ports = {"result": registers * spec.data_bits, "broken": registers}
    return {name: width for name, width in {**ports, "done": registers, "ready": registers}.items()
            if width}  # fmt: skip


def _print_ports(ports: dict[str, int], nodes: int) -> Iterator[str]:
    """Yield the statements that print what processes see that is new."""
    if not ports:
        return
    low, seen = 0, {}
    for name, width in reversed(ports.items()):
        seen[name], low = low, low + width
    for i in range(nodes):
        now = [part(name, i, width // nodes) for name, width in ports.items()]
        before = [
            f"seen_ports[{seen[name] + i * width // nodes} +: {width // nodes}]"
            for name, width in ports.items()
        ]
        words = ", ".join([*reversed(now), *(["1'b0"] if "result" not in ports else [])])
        yield f"        if ({{{', '.join(now)}}} !== {{{', '.join(before)}}})"
        yield f'          $fwrite(probe_file, " p{i:x}:%0h:%0h:%0h:%0h", {words});'
    yield f"        seen_ports = {{{', '.join(ports)}}};"


def _print(valid: str, width: int, flit: str) -> str:
    return f'          if ({valid} !== {zero(width)}) $fwrite(probe_file, " %0h", {flit});'


def _results(spec: AnySpec) -> Iterator[str]:
    """Yield the statements that print the results of released registers."""
    registers, data = spec.port_registers, spec.data_bits
    for i in range(len(spec.topology.nodes)):
        yield f"          if ({part('released', i, registers)} !== {zero(registers)}) begin"
        for r in range(i * registers, (i + 1) * registers):
            value = part("result", r, data) if data else "1'b0"
            yield (
                f"            if ({part('released', r, 1)} !== 1'b0) "
                f'$fwrite(probe_file, " %0h", {value});'
            )
        yield "          end"


def _observed(spec: AnySpec, inside: str) -> Iterator[str]:
    """Yield the statements that print what changed of the routers' observed state."""
    for i, (instance, _) in enumerate(targets(spec)):
        yield f"          if ({inside}{instance}.observe !== seen_{i}) begin"
        yield f"            seen_{i} = {inside}{instance}.observe ;"
        yield f'            $fwrite(probe_file, " {i:x}:%0h", seen_{i});'
        yield "          end"
