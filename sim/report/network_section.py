"""A network in a report: an episode to watch, its trees, its plan, and a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncfabric.sim.draw import can_draw, group_figure
from syncfabric.sim.drive.run import scenario_of
from syncfabric.sim.network import Network, Plan
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.report.blocks import Block, Gallery, Play, Section, Table, Words, inline_svg
from syncfabric.sim.report.episode import first_episode, stream_film
from syncfabric.sim.report.run_section import run_blocks
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult
from syncfabric.sim.tables import notes, plan_rows
from syncfabric.sim.words import count, network_words

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
        yield Words(["No groups: nobody meets in a barrier."])
        return
    yield from _plays(plan, asked, result)
    if can_draw(plan.spec.network):
        shown = plan.groups[:MOST_DRAWN]
        svgs = [
            inline_svg(group_figure(plan, group), f"{prefix}-g{place}", f"way of group {group.id}")
            for place, group in enumerate(shown)
        ]
        rest = len(plan.groups) - len(shown)
        more = f" ({count(rest, 'group')} not shown)" if rest else ""
        yield Gallery(f"Trees and rings{more}", svgs)
    yield Table("Plan", plan_rows(plan))
    if told := notes(plan):
        yield Words(told)


def _plays(plan: Plan, asked: RunRequest, result: RunResult) -> Iterator[Block]:
    """Yield the first episodes to watch, and the streams, or why they are not shown."""
    network = plan.spec.network
    if not can_draw(network) or len(network.topology.nodes) > MOST_NODES:
        limit = f"networks of up to {MOST_NODES:,} nodes"
        yield Words([f"Too large to animate: pages show {limit} that a picture has room for."])
        return
    scenario = replace(scenario_of(plan, asked), streams=())
    films = {"The first barrier of each group": first_episode(plan, scenario)}
    if asked.stream:
        title = f"The {asked.stream.kind} of each group with a stream"
        films[title] = stream_film(plan, scenario_of(plan, asked))
    for title, film in films.items():
        if film is None:
            yield Words([f"{title} does not end, or holds more than a page can show."])
        else:
            yield Play(title, film, source_words(result))


def source_words(result: RunResult) -> str:
    """Return whose episode is shown with a run."""
    if result.compared and result.ok:
        return f"as the hardware did it under {result.simulator}"
    return "as the golden model does it"
