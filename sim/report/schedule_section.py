"""A schedule in a report: its steps to play, drawn, and what the checker says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.verdict import Verdict as Judged
from syncfabric.models.collectives.verdict import examine
from syncfabric.sim.draw.scene import schedule_scene
from syncfabric.sim.draw.schedule import LARGEST, schedule_figure
from syncfabric.sim.report.blocks import Block, Drawing, Play, Section, Table, Verdict, Words
from syncfabric.sim.report.drawing import inline_svg
from syncfabric.sim.report.film import Cast, Film, Kind, Move
from syncfabric.sim.words import rules_words, steps_words

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
    title = f"{schedule.collective.kind} on {schedule.topology.name}"
    return Section(title, "schedule", line, list(_blocks(source, schedule, prefix, title)))


def _blocks(source: str, schedule: Schedule, prefix: str, title: str) -> Iterator[Block]:
    judged = examine(schedule)
    yield _verdict(judged)
    small = schedule.topology.vertices <= MOST_VERTICES and schedule.messages <= MOST_MESSAGES
    if small:
        yield Play("Step by step", schedule_film(schedule))
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


def _verdict(judged: Judged) -> Verdict:
    schedule, report = judged.schedule, judged.report
    lines = [f"{len(schedule.steps)} steps, {steps_words(judged)}"]
    lines += [f"at least {bound.value} steps: {bound.argument.words()}" for bound in judged.bounds]
    if (own := schedule.certificate) is not None:
        holds = f"does not hold: {judged.unproved}" if judged.unproved else "holds"
        lines.append(f"certified {own.value}: {own.argument.words()}; {holds}")
    lines += [f"wrong: {conflict.words()}" for conflict in report.conflicts]
    if (rest := report.count - len(report.conflicts)) > 0:
        lines.append(f"and {rest:,} more")
    word = "right" if judged.right else "wrong"
    return Verdict(judged.right, "optimal" if judged.right and judged.optimal else word, lines)


def schedule_film(schedule: Schedule) -> Film:
    """Return the film of a schedule: a frame a step, and one before the first.

    A receiver is done with the last message that it gets.
    """
    scene = schedule_scene(schedule.topology)
    one = len({message[0] for step in schedule.steps for message, _ in step}) <= 1
    ends = sorted({message[int(one)] for step in schedule.steps for message, _ in step})
    kinds = {end: number for number, end in enumerate(ends)}
    moves, done = [], dict.fromkeys(schedule.collective.receivers, 0)
    for number, step in enumerate(schedule.steps, 1):
        for message, path in step:
            ways = tuple(scene.link_numbers[channel] for channel in pairwise(path))
            moves.append(Move(number, ways, kinds[message[int(one)]], 0))
            done[path[-1]] = number
    receivers = tuple(node for node in done if done[node])
    by = "to" if one else "from"
    return Film(
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
