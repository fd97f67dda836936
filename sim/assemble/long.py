"""The top for long runs: traffic, members and referees all in the design, and no probe."""

from collections.abc import Sequence

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.rtl.traffic.member import BarrierMember
from syncfabric.rtl.traffic.watch import BarrierWatch
from syncfabric.sim.assemble.bench import (
    BENCH,
    NETWORK,
    PUBLIC,
    add_network,
    add_traffic,
    report_text,
    traffic_rows,
    traffic_verilog,
)
from syncfabric.sim.assemble.mesh import node_bits, router_verilog, top_verilog
from syncfabric.sim.assemble.player import player_text
from syncfabric.sim.assemble.verilog import ModuleWriter, convert, part

__all__ = ["WATCH", "long_verilog"]

WATCH = {"episodes": 32, "errors": 32, "latency_min": 32, "latency_max": 32, "latency_sum": 64}
"""What a line of the report holds for a group, in order, and its bits."""


def long_verilog(plan: BarrierPlan, *, queue: int = 16384) -> str:
    """Return the bench for long runs of a plan; its ports are those of ``bench_verilog``.

    The report has a line a node, and then a line a group (``WATCH``). The groups' members are
    fixed in it; their registers are written by the script.

    Raises
    ------
    PlanError
        A group is spilled: only registers have members in the design.
    """
    spec = plan.spec.network
    for group in plan.groups:
        if None in group.places.values():
            raise PlanError(
                f"group {group.id} is spilled, and a long run has members for registers only; "
                f"set barrier_registers to the groups of a node, or run without --long"
            )
    bench = ModuleWriter(BENCH)
    for port in PUBLIC:
        bench.port("input", port)
    bench.lines(player_text(spec, members=True))
    add_network(bench, spec, ("arrive", "data"))
    add_traffic(bench, spec)
    _add_members(bench, plan)
    rows = traffic_rows(spec)
    for number, group in enumerate(plan.groups):
        rows.append(_add_watch(bench, spec, number, group))
    bench.lines(report_text(rows))
    sizes = sorted({len(group.members) for group in plan.groups})
    return "\n".join(
        [
            router_verilog(spec),
            top_verilog(spec, NETWORK),
            traffic_verilog(spec, queue),
            convert(BarrierMember(spec), "barrier_member"),
            *(convert(BarrierWatch(size), f"barrier_watch_{size}") for size in sizes),
            bench.text(),
        ]
    )


def _add_members(bench: ModuleWriter, plan: BarrierPlan) -> None:
    """Place a barrier member at every node."""
    spec = plan.spec.network
    registers, data = spec.barrier_registers, spec.data_bits
    masks = [0] * len(spec.mesh.nodes)
    for group in plan.groups:
        for node, register in group.places.items():
            masks[spec.mesh.index(node)] |= 1 << (register or 0)
    for i, (x, y) in enumerate(spec.mesh.nodes):
        bench.instance(
            "barrier_member",
            f"member_{x}_{y}",
            {
                "clk": "clk",
                "rst": "rst",
                "index": f"{node_bits(spec)}'d{i}",
                "member": f"{registers}'d{masks[i]}",
                "load": "member_load",
                "seed": "member_seed",
                "enable": "member_enable",
                "jitter": "member_jitter",
                "arrive": part("arrive", i, registers),
                "data": part("data", i, registers * data) if data else None,
                "released": part("released", i, registers),
            },
        )


def _add_watch(bench: ModuleWriter, spec: MeshSpec, number: int, group: GroupPlan) -> list[str]:
    """Place a group's referee, and return the wires of its counters."""
    for name, width in WATCH.items():
        bench.wire(f"group_{number}_{name}", width)
    places: Sequence[int] = [
        spec.mesh.index(node) * spec.barrier_registers + (register or 0)
        for node, register in group.places.items()
    ]
    bench.instance(
        f"barrier_watch_{len(places)}",
        f"watch_{number}",
        {
            "clk": "clk",
            "rst": "rst",
            "cycle": "cycle",
            "arrive": f"{{{', '.join(part('arrive', bit, 1) for bit in reversed(places))}}}",
            "released": f"{{{', '.join(part('released', bit, 1) for bit in reversed(places))}}}",
            **{name: f"group_{number}_{name}" for name in WATCH},
        },
    )
    return [f"group_{number}_{name}" for name in WATCH]
