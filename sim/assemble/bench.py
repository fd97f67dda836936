"""The top that simulations build: the network, traffic at every node, a player and a probe."""

from syncfabric.models.networks.spec import (
    AnySpec,
    MessageSpec,
    StaticSpec,
)
from syncfabric.rtl.traffic.queue import put_flit
from syncfabric.sim.assemble.network import (
    modules_verilog,
    top_ports,
    top_verilog,
)
from syncfabric.sim.assemble.player import player_text
from syncfabric.sim.assemble.probe import probe_text
from syncfabric.sim.assemble.traffic import place_traffic, traffic_verilog
from syncfabric.sim.assemble.verilog import NETWORK, ModuleWriter, part, quote

__all__ = [
    "BENCH",
    "NETWORK",
    "REPORT",
    "bench_verilog",
]

BENCH = "bench"
"""Name of the top module."""
RESET = 4
"""Cycles of the reset."""
REPORT = {
    "created": 32,
    "sent": 32,
    "overflow": 32,
    "packets": 32,
    "flits": 32,
    "errors": 32,
    "latency_sum": 64,
    "latency_max": 32,
}
"""What a line of the traffic report holds for a node, in order, and its bits."""

_SOURCE = ("created", "sent", "overflow")


_CLOCK = f"""
  reg clk = 0, rst = 1;
  reg [31:0] cycles;
  always #5 clk = !clk;
  initial begin
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 0;
    repeat ({RESET}) @(negedge clk);
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
    name its files; at the end the report gets the traffic's counters, a line of hexadecimal numbers
    a node (empty on a network that has no traffic: a static one, or one without channels).

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
    bench.lines(_CLOCK)
    bench.lines(player_text(spec))
    _add_network(bench, spec)
    modules = [netlist] if netlist else [modules_verilog(spec), top_verilog(spec, NETWORK)]
    reported: tuple[str, ...] = ()
    if not isinstance(spec, StaticSpec) and spec.channels:
        _add_traffic(bench, spec)
        modules.append(traffic_verilog(spec, queue))
        reported = tuple(REPORT)
    bench.lines(probe_text(spec, NETWORK, flat=bool(netlist)))
    bench.lines(_report_text(len(spec.topology.nodes), reported))
    return "\n".join([*modules, bench.text()])


def _add_network(bench: ModuleWriter, spec: AnySpec) -> None:
    """Place the network, connected by wires named like its ports.

    Inputs are declared by the player, but for the links to the nodes.
    """
    made_here = ("inject_valid", "inject_flit", "eject_credit")
    ports: dict[str, str | None] = {}
    for direction, name, width in top_ports(spec):
        if width != 0:
            ports[name] = quote(name)
            if direction == "output" or name in made_here:
                bench.wire(name, width)
    bench.instance(NETWORK, NETWORK, ports)


def _add_traffic(bench: ModuleWriter, spec: MessageSpec) -> None:
    """Place a packet source and a packet sink at every node, their counters wires of the bench."""
    for i in range(len(spec.topology.nodes)):
        for name, width in REPORT.items():
            bench.wire(f"{name}_{i}", width)

    def source(i: int) -> dict[str, str]:
        control = {name: f"traffic_{name}" for name in ("load", "seed", "enable", "rate")}
        return {
            **control,
            "put__valid": part("put_valid", i, 1),
            "put__flit": part("put_flit", i, put_flit(spec.flit_bits).size),
            **{name: f"{name}_{i}" for name in _SOURCE},
        }

    def sink(i: int) -> dict[str, str]:
        return {"clear": "1'd0", **{name: f"{name}_{i}" for name in REPORT if name not in _SOURCE}}

    place_traffic(bench, spec, source, sink)


def _report_text(nodes: int, names: tuple[str, ...]) -> str:
    """Return the block that ends the run, the nodes' counters written, a line a node."""
    form = " ".join(["%0h"] * len(names))
    writes = "\n".join(
        f"      $fwrite(report_file, {', '.join([line, *(f'{name}_{i}' for name in names)])});"
        for i, line in enumerate([f'"{form}\\n"'] * nodes)
    )
    return f"""
  // ---- report
  reg [8*1024-1:0] report_name;
  integer report_file;
  initial if (!$value$plusargs("report=%s", report_name)) report_name = "report.txt";
  always @(posedge clk)
    if (!rst && cycle == cycles) begin
      report_file = $fopen(report_name, "w");
{writes}
      $fclose(report_file);
      $finish;
    end
"""
