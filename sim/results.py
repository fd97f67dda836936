"""What a run found: the one shape of ``syncfabric run --json``, for every kind of network.

A result is frozen, goes to JSON with ``to_json`` and comes back, equal, with ``from_json``.
The JSON Schema (``results_schema``) and ``docs/results.md`` follow these classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.static_spec import STATIC_PLANNERS
from syncfabric.models.parsed import validated
from syncfabric.sim.spread import NodeName, Part, Spread
from syncfabric.sim.stream_result import StreamResult, stream_rows
from syncfabric.sim.tables import Rows, Titled, as_text, bound_words, cell, html_table, table
from syncfabric.sim.words import count, node_words

if TYPE_CHECKING:
    from syncfabric.models.planning.group_plan import GroupPlan


Verdict = Literal["match", "checked", "mismatch", "hang"]


@dataclass(frozen=True)
class Seconds(Part):
    """Wall-clock times of the job's two long steps."""

    build: float
    """Seconds to emit the Verilog and build the simulator; 0 for the golden model alone."""
    run: float
    """Seconds of simulation, comparison included."""


@dataclass(frozen=True)
class Mismatch(Part):
    """One place where hardware and golden model differ, or a property that does not hold."""

    cycle: int
    """Cycle of the difference; 0 is the first after reset."""
    node: NodeName | None
    """Router or node at which it was seen; null where it belongs to none."""
    signal: str
    """Signal's name in the Verilog, or the property's name."""
    hardware: int | str | None
    """What the hardware showed."""
    model: int | str | None
    """What the golden model, or the property, asks for."""


@dataclass(frozen=True)
class ChannelLoad(Part):
    """How busy one directed channel was."""

    node: NodeName
    """Router that the channel leaves; for ``inject`` the node that it comes from."""
    port: str
    """``east``, ``north``, ``west``, ``south``, ``local`` (to the node), a number or ``inject``."""
    load: float
    """Flits and messages a cycle, 0 to 1 (to 2 where sync messages have their own wires)."""


@dataclass(frozen=True)
class GroupResult(Part):
    """One group's barriers."""

    id: int
    """Group identifier (GID)."""
    members: int
    """Number of members."""
    height: int | None
    """Height of the tree in edges; null where the group has no tree."""
    longest_path: int
    """Longest path from root to member along the tree, in hops between routers."""
    episodes: int
    """Barriers completed; with churn more than asked."""
    latency: Spread | None
    """Hardware: cycles from the last arrival to the last release; null if none completed."""
    model_latency: Spread | None
    """The golden model's; null if none completed."""
    bound: int | None
    """Most cycles that a barrier may take, alone on an idle network."""
    bound_btm: int | None = None
    """The bound with planner ``btm``: what another planner wins is the difference."""
    bound_links: int | None = None
    """The number L of links that the bound counts."""
    root: NodeName | None = None
    """Root of the tree, or of the ring."""
    root_switch: int | None = None
    """Root of the tree of switches; null on a mesh."""
    root_node: NodeName | None = None
    """Member at the root switch, which the paper calls root node; null on a mesh."""
    planner: str | None = None
    """Planner that made it: ``btm``, ``shortest``, ``btin``, …"""
    setup_cycles: int | None = None
    """Cycles from the manager's command to its last reply; null if no packets set the group up."""
    setup_packets: int | None = None
    """Packets that set the group up, requests and replies; null likewise."""

    @classmethod
    def of(
        cls,
        plan: "GroupPlan",
        *,
        episodes: int,
        latency: Spread | None,
        model_latency: Spread | None,
        setup: tuple[int, int] | None = None,
    ) -> "GroupResult":
        """Return what was measured of a group, with what its plan says."""
        names = ("id", "height", "longest_path", "bound", "bound_btm", "bound_links")
        planned = (*names, "root", "root_switch", "root_node", "planner")
        return cls(
            members=len(plan.members),
            episodes=episodes,
            latency=latency,
            model_latency=model_latency,
            setup_cycles=setup and setup[0],
            setup_packets=setup and setup[1],
            **{name: getattr(plan, name) for name in planned},
        )


@dataclass(frozen=True)
class TrafficResult(Part):
    """Ordinary packets in the background."""

    offered: float
    """Rate asked for, in flits a node a cycle; 0 without background traffic."""
    accepted: float
    """Flits that really left the network, a node a cycle."""
    latency: Spread | None
    """Cycles from a packet's creation to its tail's arrival; null without packets."""
    network_latency: Spread | None = None
    """The part inside the network: from the head's injection to the tail's arrival."""
    packets: int = 0
    """Packets delivered."""
    saturated: bool = False
    """The network takes in less than is offered: latencies grow as long as the run goes on."""
    full_channels: tuple[ChannelLoad, ...] = ()
    """The fullest channels of a saturated network, fullest first."""
    pattern: str = "uniform"
    """Which node the packets of each node were for; rates are of nodes that send."""


@dataclass(frozen=True)
class Counters(Part):
    """The routers' own event counters at the end of the run, summed over the network."""

    overflow: int = 0
    """Flits and messages dropped because their buffer was full."""
    stray: int = 0
    """Messages that no entry could use, and unrequested set-up packets."""
    refused_arrive: int = 0
    """Arrivals that were not accepted."""
    refused_write: int = 0
    """Configuration writes that were not accepted."""


@dataclass(frozen=True)
class Events(Part):
    """What moved through the network, as ``--log`` lists it."""

    packets: int = 0
    """Ordinary packets delivered."""
    messages: int = 0
    """Barrier messages, once for each link that they went over."""
    releases: int = 0
    """Members released, summed over all groups and episodes."""


@dataclass(frozen=True)
class ChurnCost(Part):
    """What instances cost one of the file's groups: its latency without and with them."""

    id: int
    """Group identifier (GID)."""
    quiet: Spread | None
    """Latency before the first instance; null if no barrier was made then."""
    churning: Spread | None
    """Latency from the first instance's set-up to the last one's end; null likewise."""
    bound: int | None
    """Most cycles that a barrier may take, alone on an idle network."""


@dataclass(frozen=True)
class ChurnResult(Part):
    """Groups that were set up and torn down while the file's groups went on."""

    instances: int
    """Groups that were drawn; each is torn down, killed, or given up."""
    killed: int
    """Of these: killed, at a random moment."""
    given_up: int
    """Of these: never set up, for no entries were free beside the file's groups."""
    refused: int
    """Commands of set-ups that were refused, and given again."""
    set_up_cycles: Spread | None
    """Cycles from a set-up's first write to its end."""
    set_up_packets: Spread | None
    """Packets of a set-up: requests and replies."""
    tear_down_cycles: Spread | None
    """Cycles until the end of a group, or a KILL, is over."""
    tear_down_packets: Spread | None
    """Packets of a tear-down: requests, replies, and the one that reports that a group is freed."""
    costs: tuple[ChurnCost, ...]
    """What it cost the file's groups, in the file's order."""


@dataclass(frozen=True)
class RunResult(Part):
    """One run: verdict, latencies and traffic; fields that a kind of network lacks are null."""

    network: str
    """Name of the network."""
    simulator: str
    """``verilator``, ``icarus`` or ``model``."""
    cycles: int
    """Cycles simulated after reset."""
    seconds: Seconds
    """Wall-clock times."""
    verdict: Verdict
    """``match``; ``checked``: all rules hold, without comparison; ``mismatch``: hardware and golden
    model differ, or a rule is broken; ``hang``: barriers or packets do not end."""
    mismatches: tuple[Mismatch, ...]
    """The first differences, in order of cycle."""
    groups: tuple[GroupResult, ...]
    """One entry a group, in the file's order."""
    traffic: TrafficResult
    """Background traffic."""
    seed: int = 0
    """Seed of everything random in the run."""
    episodes: int = 0
    """Barriers asked of each group."""
    compared: bool = True
    """Hardware and golden model were compared in every cycle; else rules alone were checked."""
    reason: str | None = None
    """Why the run is not as it must be, in one line; else null."""
    repeat: str | None = None
    """Command that repeats this run."""
    events: Events | None = None
    """What moved; null where it was not counted."""
    counters: Counters | None = None
    """The routers' event counters; null where they were not read."""
    gated: tuple[float, ...] | None = None
    """Share of cycles in which each router's clock stood; null without ``clock_enables``."""
    loads: tuple[ChannelLoad, ...] | None = None
    """Load of every channel, with ``--heat``; else null."""
    churn: ChurnResult | None = None
    """Groups that came and went, with ``--churn``; else null."""
    streams: tuple[StreamResult, ...] | None = None
    """What groups' streams took, with ``--stream``; else null."""
    files: tuple[str, ...] = ()
    """Files that the run wrote."""

    def __post_init__(self) -> None:
        if self.verdict == "match" and not self.compared:
            object.__setattr__(self, "verdict", "checked")

    @property
    def ok(self) -> bool:
        """Hardware and golden model agree, or all rules hold; and everything ended."""
        return self.verdict in ("match", "checked")

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values: ``syncfabric run --json``."""
        dumped: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return dumped

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "RunResult":
        """Return the result that ``to_json`` wrote.

        Raises
        ------
        SpecError
            ``values`` has not the shape of a result; the message names the first place.
        """
        churn = values.get("churn") if isinstance(values, dict) else None
        if isinstance(churn, dict) and "lives" in churn:  # 0.1.0's name, for one release
            rest = {name: value for name, value in churn.items() if name != "lives"}
            values = {**values, "churn": {"instances": churn["lives"], **rest}}
        return validated(_adapter(), values, "result")

    def __str__(self) -> str:
        return as_text(result_parts(self))

    def _repr_html_(self) -> str:
        return html_table(result_rows(self), [*summary(self), *map(describe, self.mismatches)])


@cache
def _adapter() -> TypeAdapter[RunResult]:
    return TypeAdapter(RunResult)


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema of a result, made from the classes above."""
    schema = _adapter().json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Result of syncfabric run",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def result_parts(result: RunResult) -> Iterator[Titled | str]:
    """Yield a run's groups, latencies being least, median and greatest; and its summary."""
    yield Titled(f"{result.network} under {result.simulator}", result_rows(result))
    if result.streams:
        yield Titled(f"{result.streams[0].kind} by streams", stream_rows(result.streams))
    yield from summary(result)


def result_rows(result: RunResult) -> Rows:
    """Return a run's table, a row a group."""
    planners = {group.planner for group in result.groups}
    static = not planners.isdisjoint(STATIC_PLANNERS)
    columns: dict[str, Any] = {"group": "id", "members": "members"}
    if WIRE_PLANNER in planners and len(planners) > 1:
        columns["planner"] = "planner"
    columns |= {"kind": "planner"} if static else {"tree\nheight": "height"}
    columns |= {f"longest\npath\n({'links' if static else 'hops'})": "longest_path"}
    columns |= {"latency\n(cycles)\nmin/med/max": "latency"}
    columns |= {"model\n(cycles)\nmin/med/max": "model_latency", "bound\n(cycles)": bound_words}
    return table(result.groups, columns)


def summary(result: RunResult) -> Iterator[str]:
    """Yield what a run's table does not say: verdict, traffic, saturation, files."""
    seconds = f"{result.seconds.build:.1f} s to build, {result.seconds.run:.1f} s to run"
    nothing = "nothing" if result.simulator == "model" else "nothing but the set-up"
    verdict = {
        "match": "match: hardware and golden model agree in every cycle",
        "checked": f"checked: all rules hold; {nothing} was compared with the golden model",
        "mismatch": "MISMATCH: not all is as it must be",
        "hang": "HANG: barriers or packets do not come to an end",
    }[result.verdict]
    yield f"{verdict}; {result.cycles:,} cycles, {result.simulator}, {seconds}"
    traffic = result.traffic
    if traffic.offered:
        latency = ""
        named = "traffic" if traffic.pattern == "uniform" else f"traffic {traffic.pattern}"
        if traffic.latency is not None:
            latency = f"; packet latency {cell(traffic.latency)} cycles (min / median / max)"
        yield (
            f"{named}: offered {traffic.offered:g}, accepted {traffic.accepted:.3g} flits a node "
            f"a cycle{latency}; {traffic.packets:,} packets"
        )
    if traffic.saturated:
        full = ", ".join(
            f"{_channel(channel)} {channel.load:.2f}" for channel in traffic.full_channels
        )
        yield "saturated: less is accepted than offered, and latencies grow with the run's length"
        if full:
            yield f"full channels (flits a cycle): {full}"
    if result.gated:
        least, most, mean = min(result.gated), max(result.gated), fmean(result.gated)
        yield f"routers gated: {mean:.0%} of cycles ({least:.0%} to {most:.0%})"
    if result.churn is not None:
        yield from _churn(result.churn)
    yield from (f"wrote {name}" for name in result.files)


def _churn(churn: ChurnResult) -> Iterator[str]:
    """Yield what became of instances, and what they cost the file's groups."""
    yield (
        f"churn: {count(churn.instances, 'instance')}, {churn.killed} killed, "
        f"{churn.given_up} given up; {count(churn.refused, 'set-up')} refused"
    )
    for name, cycles, packets in (
        ("set-up", churn.set_up_cycles, churn.set_up_packets),
        ("tear-down", churn.tear_down_cycles, churn.tear_down_packets),
    ):
        yield f"{name}: {cell(cycles)} cycles, {cell(packets)} packets (min / median / max)"
    for cost in churn.costs:
        yield (
            f"group {cost.id}: {cell(cost.churning)} cycles with churn, "
            f"{cell(cost.quiet)} before; bound {cell(cost.bound)}"
        )


def describe(mismatch: Mismatch) -> str:
    """Return one mismatch in words."""
    node = mismatch.node
    kind = "switch" if isinstance(node, int) else "node"
    where = "" if node is None else f", {kind} {node_words(node)}"

    def value(shown: int | str | None) -> str:
        return f"{shown} (0x{shown:x})" if isinstance(shown, int) and shown > 9 else cell(shown)

    return (
        f"cycle {mismatch.cycle}{where}, {mismatch.signal}: "
        f"hardware {value(mismatch.hardware)}, model {value(mismatch.model)}"
    )


def _channel(channel: ChannelLoad) -> str:
    """Return where a channel begins: a switch's port by its number, else a node's by its name."""
    if isinstance(channel.node, int):
        return f"switch {channel.node} port {channel.port}"
    return f"{node_words(channel.node)} {channel.port}"
