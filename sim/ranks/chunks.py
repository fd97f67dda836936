"""A schedule in chunks between ranks of MPI."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.collectives.chunks.checker import check
from syncfabric.models.collectives.chunks.schedule import Exchange, Schedule, Share
from syncfabric.models.collectives.collective import Collective, Kind, collective
from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.payloads import WORD, Bytes, Name

STEPS: dict[str, Kind] = {
    "broadcast": "OAB",
    "reduce": "AOR",
    "allgather": "AAB",
    "reduce-scatter": "AAR",
    "scatter": "OAS",
    "gather": "AOG",
    "alltoall": "AAS",
}
"""Collectives that there are in steps, too."""


class Move(NamedTuple):
    """An item goes to a peer, or comes from one and is combined or takes the item's place."""

    item: int
    peer: int
    sends: bool
    combine: bool


class Moves(NamedTuple):
    """What one rank does in an exchange."""

    exchange: Exchange
    moves: list[Move]


def moves_of(schedule: Schedule) -> list[Moves]:
    """Return the moves of each rank, in the schedule's order.

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
    moves: list[list[Move]] = [[] for _ in range(exchange.ranks)]
    for item, path, combine in schedule.sends:
        moves[path[0]].append(Move(item, path[-1], True, combine))
        moves[path[-1]].append(Move(item, path[0], False, combine))
    return [Moves(exchange, own) for own in moves]


class ChunkCarrier:
    """One rank's moves, ready to be made any number of times.

    What comes is received into memory of its own, from the beginning on; a send begins when all
    moves before it are done. Both ends of a pair have the same order, so no tags are needed.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Its rank is the node.
    part : Moves
        Of an exchange whose items are whole numbers of bytes.
    """

    name = "schedule"

    def __init__(self, world: Any, part: Moves, _: int) -> None:
        from mpi4py import MPI

        exchange, moves = part
        self._exchange, self._me = exchange, world.Get_rank()
        piece = int(exchange.piece)
        shares = [n for n, share in enumerate(exchange.shares) if self._me in _ends(share)]
        parts = range(exchange.parts)
        held = {share * exchange.parts + part for share in shares for part in parts}
        # Of what is for others alone, only what is passed on.
        self._row = {item: n for n, item in enumerate(sorted(held | {m.item for m in moves}))}
        self._items = np.zeros((len(self._row), piece), np.uint8)
        self._come = np.zeros((sum(not move.sends for move in moves), piece), np.uint8)
        spare = iter(self._come)
        self._moves: list[tuple[Move, Any, Bytes | None]] = []
        for move in moves:
            if move.sends:
                request = world.Send_init(self._items[self._row[move.item]], move.peer)
                self._moves.append((move, request, None))
            else:
                block = next(spare)
                self._moves.append((move, world.Recv_init(block, move.peer), block))
        self._receives = [request for _, request, block in self._moves if block is not None]
        self._sends = [request for _, request, block in self._moves if block is None]
        self._start, self._wait = MPI.Prequest.Startall, MPI.Request.Waitall

    def fill(self, payload: Callable[[Name], Bytes]) -> None:
        """Put what this rank has at the beginning into its items, and wipe the others."""
        self._items[:] = 0
        for number, share in enumerate(self._exchange.shares):
            if self._me in share.sources:
                self._block(number)[:] = payload(self._name(number, self._me))

    def run(self) -> None:
        """Make all moves."""
        self._start(self._receives)
        sent: dict[int, list[Any]] = {}
        for move, request, block in self._moves:
            if block is None:
                request.Start()
                sent.setdefault(move.item, []).append(request)
                continue
            request.Wait()
            self._wait(sent.pop(move.item, []))
            if move.combine:
                total = self._items[self._row[move.item]].view(np.uint64)
                total += block.view(np.uint64)
            else:
                self._items[self._row[move.item]] = block
        self._wait(self._sends)

    def got(self) -> dict[Name, Bytes]:
        """Return what this rank was to have in the end."""
        return {
            self._name(number, owner): self._block(number)
            for number, (owner, share) in enumerate(
                zip(self._exchange.owners, self._exchange.shares, strict=True)
            )
            if self._me in share.targets
        }

    def free(self) -> None:
        """Give the requests back."""
        for _, request, _ in self._moves:
            request.Free()

    def _block(self, share: int) -> Bytes:
        """Return the bytes of a share, all of whose parts are here."""
        first = self._row[share * self._exchange.parts]
        return self._items[first : first + self._exchange.parts].reshape(-1)

    def _name(self, share: int, rank: int) -> Name:
        """Return the name of what a rank gives to a share: as that of the library's call."""
        exchange = self._exchange
        if exchange.personal:
            return exchange.shares[share].sources[0], exchange.shares[share].targets[0]
        return rank, exchange.owners[share]


def _ends(share: Share) -> set[int]:
    return {*share.sources, *share.targets}


def call_of(schedule: Schedule) -> Collective | None:
    """Return the collective in steps whose call of MPI does the same; None of ``allreduce``."""
    exchange = schedule.exchange
    if exchange.kind == "allreduce":
        return None
    senders = [exchange.root] if exchange.kind in ("broadcast", "scatter") else None
    receivers = [exchange.root] if exchange.kind in ("reduce", "gather") else None
    return collective(STEPS[exchange.kind], schedule.topology, senders, receivers)
