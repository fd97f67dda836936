"""The sections of a report: a network, to watch; saved results of runs and cores; schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from statistics import mean
from typing import TYPE_CHECKING

from syncfabric.models.collectives.chunks.checker import check, proved, spans
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.verdict import Verdict as Examined
from syncfabric.models.collectives.verdict import examine
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.cores.result import CoresResult, Routine, complaints, core_rows, group_rows
from syncfabric.sim.draw.figures import can_draw, group_figure, heat_figure, stream_figure
from syncfabric.sim.draw.page import ROOT, TOP, Page, settings
from syncfabric.sim.draw.scene import schedule_scene
from syncfabric.sim.draw.schedule import LARGEST, chunk_figure, schedule_figure
from syncfabric.sim.draw.style import Look, looks, scale
from syncfabric.sim.drive.run import scenario_of
from syncfabric.sim.network import Network, Plan
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.report.animation import Animation, Cast, Kind, Move
from syncfabric.sim.report.blocks import (
    Block,
    Drawing,
    Gallery,
    Play,
    Section,
    Table,
    Verdict,
    Words,
    hover_points,
    inline_svg,
)
from syncfabric.sim.report.episode import first_episode, stream_animation
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import ChannelLoad, RunResult, describe, result_rows, summary
from syncfabric.sim.spread import Spread
from syncfabric.sim.stream_result import stream_rows
from syncfabric.sim.tables import notes, plan_rows
from syncfabric.sim.words import count, network_words, node_words, rules_words, steps_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_GROUPS = 40
WIDTH, LINE, LEAST, LEFT, RIGHT, BELOW = 7.2, 0.36, 0.6, 1.1, 1.9, 0.55
"""In inches: of the page, of a group, of all of them, and of the room around the axes."""
APART = 0.12
"""Of a group's line from its place, where there are two."""

MOST_LOADS = 2_000
"""Channels whose loads are listed, the fullest first."""


def result_section(
    source: str, result: RunResult, prefix: str, networks: Iterable[Network]
) -> Section:
    """Return a saved result; its loads are drawn over the network of its name, if that is given."""
    same = [network for network in networks if network.name == result.network]
    blocks = [*run_blocks(result, prefix, same[0].plan() if same else None)]
    if result.loads:
        blocks += _loads(result, result.loads, prefix, same[0] if same else None)
    line = f"{result.network} under {result.simulator} · seed {result.seed}"
    return Section(source, "run", line, blocks)


def run_blocks(result: RunResult, prefix: str, plan: BarrierPlan | None) -> Iterator[Block]:
    """Yield a run's verdict, tables, latencies, and streams over their trees if there is a plan."""
    first, *rest = summary(replace(result, files=()))
    lines = [first.partition(": ")[2]]
    if result.reason:
        lines.append(result.reason)
    if result.repeat:
        lines.append(f"repeat it with: {result.repeat}")
    yield Verdict(result.ok, result.verdict, lines)
    yield Table("Run", result_rows(result))
    if any(group.latency for group in result.groups):
        figure = latency_figure(result)
        words = f"barrier latency of {result.network}"
        svg = inline_svg(figure, f"{prefix}-l", words)
        yield Drawing("", svg, hover_points(figure))
    if result.streams:
        yield Table("Streams", stream_rows(result.streams))
        if plan is not None:
            streams = partial(stream_figure, plan, result.streams)
            words = f"words of streams of {result.network}"
            yield from _over(plan.spec.network, "", f"{prefix}-w", words, streams)
    lines = list(rest)
    if result.counters is not None:
        parts = (f"{name} {value:,}" for name, value in asdict(result.counters).items())
        lines.append(f"event counters: {', '.join(parts)}")
    if lines:
        yield Words(lines)
    if result.mismatches:
        yield Words([describe(mismatch) for mismatch in result.mismatches])


def _loads(
    result: RunResult, loads: tuple[ChannelLoad, ...], prefix: str, network: Network | None
) -> Iterator[Block]:
    if network is not None:
        title = f"{result.network}: load of every channel"
        heat = partial(heat_figure, network.spec.network, loads, title=title)
        yield from _over(network.spec.network, "Loads", f"{prefix}-h", title, heat)
    fullest = sorted(loads, key=lambda load: -load.load)[:MOST_LOADS]
    rows = [[node_words(load.node), load.port, f"{load.load:.4f}"] for load in fullest]
    yield Table("Loads of channels", (["from", "port", "flits\na cycle"], rows), closed=True)


def _over(
    network: AnySpec, head: str, ident: str, words: str, figure: Callable[[], Figure]
) -> Iterator[Block]:
    """Yield a picture over a network, if that is small enough for one."""
    if can_draw(network):
        yield Drawing(head, inline_svg(figure(), ident, words), light=True)


def latency_figure(result: RunResult) -> Figure:
    """Draw for each group from the least to the greatest latency, the median marked."""
    groups = result.groups[:MOST_GROUPS]
    height = max(LEAST, len(groups) * LINE)
    with settings():
        page = Page(WIDTH, TOP + height + BELOW)
        words = f"under {result.simulator}, from the last arrival to the last release"
        page.heading("Barrier latency", words, WIDTH / 2, 0.3)
        axes = page.plot(LEFT, TOP, WIDTH - LEFT - RIGHT, height)
        alone = result.simulator == "model"  # whose latencies stand in both fields
        seen = [("latency", 0.0 if alone else -APART, [g.latency for g in groups])]
        if not alone:
            seen.append(("golden model", APART, [g.model_latency for g in groups]))
        for look, (label, away, spreads) in zip(looks(("", "model")).values(), seen, strict=False):
            if any(spreads):
                _spreads(axes, spreads, label, look, away)
        bounds = [(group.bound, place) for place, group in enumerate(groups) if group.bound]
        if bounds:
            x, y = zip(*bounds, strict=True)
            axes.plot(x, y, "|", ms=13, mew=1.6, color=ROOT, label="bound, alone")
        axes.set_yticks(range(len(groups)), [f"group {group.id}" for group in groups])
        axes.set_ylim(len(groups) - 0.5, -0.5)
        scale(axes, "x", "cycles")
        axes.grid(visible=False, axis="y")
        shown = [line for line in axes.lines if not str(line.get_label()).endswith(("min", "max"))]
        axes.legend(
            handles=shown, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8
        )
    return page.figure


def _spreads(
    axes: Axes, spreads: Sequence[Spread | None], label: str, look: Look, away: float
) -> None:
    """Draw a line for each spread, and a larger point at its median."""
    for part, size in (("min", 3), ("max", 3), ("median", 6)):
        places = [
            (getattr(spread, part), place + away) for place, spread in enumerate(spreads) if spread
        ]
        x, y = zip(*places, strict=True)
        name = f"{label}, {part}"
        axes.plot(x, y, look.marker, ms=size, color=look.colour, mew=0, label=name)
    for place, spread in enumerate(spreads):
        if spread:
            axes.hlines(place + away, spread.min, spread.max, color=look.colour, lw=1.4)


def cores_section(source: str, result: CoresResult) -> Section:
    """Return a saved result of ``syncfabric cores --json``."""
    barrier = f" · barrier {result.barrier}" if result.barrier else ""
    line = f"{result.network} under {result.simulator} · {count(result.cores, 'core')}{barrier}"
    return Section(source, "program on cores", line, [*_cores_blocks(result)])


def _cores_blocks(result: CoresResult) -> Iterator[Block]:
    lost = mean(core.cycles for core in result.lost) if result.lost else 0
    lines = [
        f"{result.cycles:,} cycles, of which a core spent {lost:,.0f} in barriers on average",
        *complaints(result),
    ]
    yield Verdict(result.ok, "ok" if result.ok else result.verdict, lines)
    yield Table("Cores", core_rows(result))
    if result.groups:
        yield Table("Barriers in hardware", group_rows(result))
    if result.code:
        yield Words(
            [
                f"The instructions of barriers in software ({result.barrier}), as a core has them "
                "in its memory; what seldom happens, such as that there is no room to send, is "
                "called, and not shown."
            ]
        )
    for routine in result.code:
        yield _code(routine, closed=not routine.name.endswith("_both"))


def _code(routine: Routine, *, closed: bool) -> Table:
    rows = [[f"{address:x}", text] for address, text in routine.instructions]
    title = f"{routine.name}: {count(len(rows), 'instruction')}"
    return Table(title, (["address", "instruction"], rows), closed=closed)


MOST_VERTICES, MOST_MESSAGES = 144, 20_000
"""Of a schedule that is played."""
MOST_ROWS = 3_000
"""Messages that are listed."""


def schedule_section(source: str, schedule: Schedule, prefix: str) -> Section:
    """Return a schedule and the checker's verdict.

    Raises
    ------
    SyncfabricError
        The checker refuses it.
    """
    line = f"{len(schedule.steps)} steps · {rules_words(schedule.rules)}"
    title = f"{schedule.collective.name} on {schedule.topology.name}"
    return Section(title, "schedule", line, list(_blocks(source, schedule, prefix, title)))


def _blocks(source: str, schedule: Schedule, prefix: str, title: str) -> Iterator[Block]:
    examined = examine(schedule)
    yield _verdict(examined)
    small = schedule.topology.vertices <= MOST_VERTICES and schedule.messages <= MOST_MESSAGES
    if small:
        yield Play("Step by step", schedule_animation(schedule))
    else:
        yield Words(["Too large to play step by step."])
    if max(len(schedule.topology.channels), len(schedule.steps)) <= LARGEST:
        yield Drawing("All steps", inline_svg(schedule_figure(schedule), prefix, title))
    rows = [
        [str(number), str(origin), str(destination), "→".join(map(str, path)), str(len(path) - 1)]
        for number, step in enumerate(schedule.steps, 1)
        for (origin, destination), path in step
    ]
    if len(rows) <= MOST_ROWS:
        heads = ["step", "origin", "destination", "path", "hops"]
        yield Table(f"Messages of {source}", (heads, rows), closed=True)


def _verdict(examined: Examined) -> Verdict:
    schedule, report = examined.schedule, examined.report
    lines = [f"{len(schedule.steps)} steps, {steps_words(examined)}"]
    lines += [
        f"at least {bound.value} steps: {bound.argument.words()}" for bound in examined.bounds
    ]
    if (own := schedule.certificate) is not None:
        holds = f"does not hold: {examined.unproved}" if examined.unproved else "holds"
        lines.append(f"certified {own.value}: {own.argument.words()}; {holds}")
    lines += [f"wrong: {conflict.words()}" for conflict in report.conflicts]
    if (rest := report.count - len(report.conflicts)) > 0:
        lines.append(f"and {rest:,} more")
    word = "right" if examined.right else "wrong"
    return Verdict(
        examined.right, "optimal" if examined.right and examined.optimal else word, lines
    )


def chunk_section(source: str, schedule: InChunks, prefix: str) -> Section:
    """Return a schedule in chunks, the checker's verdict, and what links carry when."""
    exchange, topology = schedule.exchange, schedule.topology
    parts = f"{exchange.parts:,} chunk{'s' * (exchange.parts > 1)} of a share"
    line = f"{exchange.size:,} bytes · {parts} · {len(schedule.sends):,} sends"
    title = f"{exchange.kind} on {topology.name}"
    return Section(title, "schedule", line, list(_chunk_blocks(source, schedule, prefix, title)))


def _chunk_blocks(source: str, schedule: InChunks, prefix: str, title: str) -> Iterator[Block]:
    exchange, topology, outcome = schedule.exchange, schedule.topology, check(schedule)
    bound, why = proved(schedule)
    lines = [f"{float(outcome.time):,.0f} ns", f"at least {float(bound):,.0f} ns, by {why}"]
    lines += [f"wrong: {words}" for words in outcome.wrong]
    if (rest := outcome.broken - len(outcome.wrong)) > 0:
        lines.append(f"and {rest:,} more")
    right, optimal = not outcome.broken, outcome.time == bound
    word = "optimal" if right and optimal else "right" if right else "wrong"
    yield Verdict(right, word, lines)
    if len(topology.channels) <= LARGEST:
        yield Drawing("Links over time", inline_svg(chunk_figure(schedule), prefix, title))
    if len(schedule.sends) <= MOST_ROWS:
        timed = spans(schedule)
        rows = []
        for (item, path, combine), ends in zip(schedule.sends, timed.ends, strict=True):
            share, part = divmod(item, exchange.parts)
            begin, end = (f"{at / timed.unit:,.0f}" for at in ends)
            shown, does = "→".join(map(str, path)), "combine" if combine else "copy"
            whose = str(exchange.owners[share])
            if exchange.personal:
                whose += f"→{exchange.shares[share].targets[0]}"
            rows.append([whose, str(part), does, shown, begin, end])
        heads = [
            "from→to" if exchange.personal else "owner",
            "chunk",
            "does",
            "path",
            "begin\n(ns)",
            "end\n(ns)",
        ]
        yield Table(f"Sends of {source}", (heads, rows), closed=True)


def schedule_animation(schedule: Schedule) -> Animation:
    """Return the animation of a schedule: a frame a step, and one before the first.

    A receiver is done with the last message that it gets.
    """
    scene = schedule_scene(schedule.topology)
    one = len({message[0] for step in schedule.steps for message, _ in step}) <= 1
    ends = sorted({message[int(one)] for step in schedule.steps for message, _ in step})
    kinds = {end: number for number, end in enumerate(ends)}
    moves, done = [], dict.fromkeys(schedule.collective.receivers, 0)
    for number, step in enumerate(schedule.steps, 1):
        for message, path in step:
            links = tuple(scene.link_numbers[channel] for channel in pairwise(path))
            moves.append(Move(number, links, kinds[message[int(one)]], 0))
            done[path[-1]] = number
    receivers = tuple(node for node in done if done[node])
    by = "to" if one else "from"
    return Animation(
        scene=scene,
        unit="step",
        first=0,
        last=len(schedule.steps),
        kinds=tuple(
            Kind(f"{by} {end}", f"hsl({360 * place // len(ends)} 70% var(--lightness))", "passing")
            for place, end in enumerate(ends)
        ),
        casts=(
            Cast("", receivers, (None,) * len(receivers), tuple(done[node] for node in receivers)),
        ),
        moves=tuple(moves),
        words=("still to get messages", "", "has all its messages"),
    )


MOST_NODES = 1024
"""Nodes of a network that is animated."""
MOST_DRAWN = 12
"""Groups whose trees and rings are drawn."""


def network_section(
    network: Network, asked: RunRequest, prefix: str, progress: Progress = silent
) -> tuple[Section, RunResult]:
    """Plan and run a network, and return what there is to show, and the run's result.

    Raises
    ------
    SyncfabricError
        As ``Network.run``.
    """
    result = network.perform(asked, progress)
    plan = network.plan()
    with stage(progress, "draw"):
        blocks = [*_plan_blocks(plan, asked, result, prefix)]
        blocks += run_blocks(result, f"{prefix}-r", plan)
    words = network_words(network.spec.network)
    line = f"{words} · {count(len(plan.groups), 'group')}"
    return Section(network.name, "network", line, blocks), result


def _plan_blocks(plan: Plan, asked: RunRequest, result: RunResult, prefix: str) -> Iterator[Block]:
    if not plan.groups:
        yield Words(["No groups: there are no barriers."])
        return
    yield from _plays(plan, asked, result)
    if can_draw(plan.spec.network):
        shown = plan.groups[:MOST_DRAWN]
        svgs = [
            inline_svg(group_figure(plan, group), f"{prefix}-g{place}", f"group {group.id}")
            for place, group in enumerate(shown)
        ]
        rest = len(plan.groups) - len(shown)
        more = f" ({count(rest, 'group')} not shown)" if rest else ""
        yield Gallery(f"Trees and rings{more}", svgs)
    yield Table("Plan", plan_rows(plan))
    if lines := notes(plan):
        yield Words(lines)


def _plays(plan: Plan, asked: RunRequest, result: RunResult) -> Iterator[Block]:
    """Yield the first episodes to watch, and the streams, or why they are not shown."""
    network = plan.spec.network
    if not can_draw(network) or len(network.topology.nodes) > MOST_NODES:
        limit = f"networks of up to {MOST_NODES:,} nodes"
        yield Words([f"Too large to animate: pages show {limit} that fit a picture."])
        return
    scenario = replace(scenario_of(plan, asked), streams=())
    animations = {"The first barrier of each group": first_episode(plan, scenario)}
    if asked.stream:
        title = f"The {asked.stream.kind} of each group with a stream"
        animations[title] = stream_animation(plan, scenario_of(plan, asked))
    for title, animation in animations.items():
        if animation is None:
            yield Words([f"{title} does not end, or holds more than a page can show."])
        else:
            yield Play(title, animation, source_words(result))


def source_words(result: RunResult) -> str:
    """Return the group whose episode is shown with a run."""
    if result.compared and result.ok:
        return f"as the hardware did it under {result.simulator}"
    return "as the golden model does it"
