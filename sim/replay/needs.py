"""What must have come in at a node before it can send a message of a schedule."""

from __future__ import annotations

from collections import defaultdict

from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.errors import SpecError

__all__ = ["needs_of"]


def needs_of(schedule: Schedule) -> list[tuple[int, ...]]:
    """Return the messages that each one needs, numbered through all steps.

    A copy of a broadcast, or a message that goes hop by hop, needs to have come to its sender in a
    step before. What a node sends on in a reduce needs all that came to it for that destination.

    Raises
    ------
    SpecError
        A path cannot be taken, or a node sends what it has not got by then.
    """
    kind = schedule.collective
    combines = kind.reversal is not None and kind.reversal.broadcast
    came: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    needs: list[tuple[int, ...]] = []
    number = 0
    for place, step in enumerate(schedule.steps, 1):
        fresh: list[tuple[tuple[int, ...], int]] = []
        for (origin, target), path in step:
            _check_path(schedule, place, (origin, target), path)
            content: tuple[int, ...]
            if combines:
                content = (target,)
            elif kind.broadcast:
                content = (origin,)
            else:
                content = (origin, target)
            before = came[(*content, path[0])]
            if not (before or combines or path[0] == origin):
                raise SpecError(
                    f"schedule: step {place}: message {origin} to {target}: node {path[0]} sends "
                    "it, but has not got it yet"
                )
            own = path[0] == origin and not combines
            needs.append(() if own else tuple(before if combines else before[:1]))
            fresh.append(((*content, path[-1]), number))
            number += 1
        for key, sent in fresh:
            came[key].append(sent)
    return needs


def _check_path(
    schedule: Schedule, step: int, message: tuple[int, int], path: tuple[int, ...]
) -> None:
    topology = schedule.topology
    subject = f"schedule: step {step}: message {message[0]} to {message[1]}"
    if len(path) < 2 or not all(0 <= end < topology.nodes for end in (path[0], path[-1])):
        raise SpecError(f"{subject}: its path must lead from node to node")
    for vertex in path[1:-1]:
        if not topology.routers[vertex]:
            raise SpecError(f"{subject} passes node {vertex}, a processor without a router")
    if len(set(path)) < len(path):
        raise SpecError(f"{subject} passes a vertex twice")
