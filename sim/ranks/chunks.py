"""A schedule in chunks as each rank has to carry it out."""

from collections.abc import Iterator

from syncfabric.models.collectives.chunks.checker import check
from syncfabric.models.collectives.chunks.schedule import Exchange, Schedule
from syncfabric.models.collectives.collective import Collective, collective
from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.parts import Part, PartStep
from syncfabric.sim.ranks.payloads import WORD, Name


def chunk_parts(schedule: Schedule) -> list[Part]:
    """Return the part of each rank; a slot is an item, and those behind what has come.

    A send begins when all that is before it in the schedule is done at its rank. Both ends of a
    pair have the same order, so no tags are needed.

    Raises
    ------
    SpecError
        The schedule is wrong, or its items are no whole numbers of bytes, or of the words that are
        added up.
    """
    exchange = schedule.exchange
    unit = WORD if exchange.combines else 1
    if exchange.piece % unit:
        least = unit * exchange.parts * round(exchange.size / exchange.share)
        raise SpecError(
            f"bytes must be a multiple of {least:,}, so that each chunk has whole"
            f" {'numbers of 8 bytes' if exchange.combines else 'bytes'}, not {exchange.size:,};"
            " schedule it with such a --bytes"
        )
    outcome = check(schedule)
    if outcome.broken:
        more = f" (and {outcome.broken - 1:,} more)" if outcome.broken > 1 else ""
        raise SpecError(f"the schedule is wrong: {outcome.wrong[0]}{more}")
    ranks, parts = range(exchange.ranks), exchange.parts
    own, wanted = ([list(_named(exchange, rank, end)) for rank in ranks] for end in (0, 1))
    # Of what is for others alone, only what is passed on.
    items = [
        {share * parts + part for share, _ in (*own[rank], *wanted[rank]) for part in range(parts)}
        for rank in ranks
    ]
    for item, path, _ in schedule.sends:
        items[path[0]].add(item)
        items[path[-1]].add(item)
    slots = [{item: slot for slot, item in enumerate(sorted(some))} for some in items]
    count, steps = [len(some) for some in slots], [list[PartStep]() for _ in ranks]
    for item, path, combine in schedule.sends:
        here, there = path[0], path[-1]
        steps[here].append(PartStep((), ((there, slots[here][item]),)))
        change = ((slots[there][item], count[there]),)
        changes = {"adds" if combine else "copies": change}
        steps[there].append(PartStep(((here, count[there]),), (), **changes))
        count[there] += 1
    found = []
    for rank, at in enumerate(slots):
        has, gets = (tuple((at[n * parts], name) for n, name in end[rank]) for end in (own, wanted))
        found.append(Part(count[rank], has, gets, tuple(steps[rank]), parts, early=True))
    return found


def _named(exchange: Exchange, rank: int, end: int) -> Iterator[tuple[int, Name]]:
    """Yield the shares that a rank begins (0) or ends (1) with, named as in the library's call."""
    for number, share in enumerate(exchange.shares):
        if rank in share[end]:
            owner = exchange.owners[number]
            name = rank if end == 0 else owner, owner
            if exchange.personal:
                name = share.sources[0], share.targets[0]
            yield number, name


def call_of(schedule: Schedule) -> Collective | None:
    """Return the collective in steps whose call of MPI does the same; None of ``allreduce``."""
    exchange = schedule.exchange
    if exchange.kind == "allreduce":
        return None
    senders = [exchange.root] if exchange.kind in ("broadcast", "scatter") else None
    receivers = [exchange.root] if exchange.kind in ("reduce", "gather") else None
    return collective(exchange.kind, schedule.topology, senders, receivers)
