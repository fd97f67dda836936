"""What every rank does with the messages that come: pass on, answer, measure."""

import os
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.broadcast.post import Data, Kind, Post, Received
from syncfabric.sim.ranks.broadcast.script import Script
from syncfabric.sim.ranks.payloads import Bytes, first_wrong, payload

ROOT = 0
PINGS = 3
"""Ping-pongs of a measurement, one after the other; the shortest counts."""


@dataclass(frozen=True)
class Setting:
    """What all ranks know from the beginning.

    Parameters
    ----------
    script : Script
    size : int
        Bytes of the payload.
    seed : int
    timeout : float
        Seconds until a rank that does not answer is taken for dead.

    Raises
    ------
    SpecError
        An answer may take longer than that.
    """

    script: Script
    size: int
    seed: int
    timeout: float

    def __post_init__(self) -> None:
        ranks, slowest = self.script.ranks, self.script.slowest
        longest = slowest * max((ranks - 1).bit_length(), 2 * PINGS)
        if self.timeout <= longest:
            raise SpecError(
                f"--timeout: {self.timeout:g} s, but with these latencies an answer may take "
                f"{longest:g} s"
            )

    def payload(self, number: int) -> Bytes:
        """Return what a broadcast carries."""
        return payload((ROOT, ROOT), self.size, self.seed, number)


@dataclass
class _Probe:
    """A measurement that is going on."""

    token: int
    left: dict[int, int]
    """Of each rank: ping-pongs to go."""
    sent: dict[int, float] = field(default_factory=dict)
    best: dict[int, float] = field(default_factory=dict)


class Member:
    """One rank.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    setting : Setting
    shared : bool
        Whether ranks share processors.
    """

    def __init__(self, comm: Any, setting: Setting, *, shared: bool) -> None:
        self.rank: int = comm.Get_rank()
        self.setting = setting
        self.post = Post(comm, shared=shared, delay=self.delay)
        self.slow: dict[tuple[int, int], float] = {}
        self.finalize: bool | None = None
        """Whether MPI can be ended in order; None until the root says so."""
        self._fates = deque(setting.script.of(self.rank))
        self._deaf = self.rank not in (ROOT, *setting.script.at_first())
        self._probe: _Probe | None = None

    def delay(self, to: int) -> float:
        """Return the seconds by which a message to a rank is held back."""
        factor = self.slow.get((min(self.rank, to), max(self.rank, to)), 1.0)
        return self.setting.script.latency * factor

    def serve(self) -> None:
        """Do what messages ask for, until the root ends it.

        The root speaks at least before each time that it waits. If it has said nothing for much
        longer than it ever waits, it is gone, and so is this rank then.
        """
        silence = 4 * self.setting.timeout + 10
        last = time.monotonic()
        while self.finalize is None:
            message = self.post.receive(last + silence)
            if message is None:
                sys.stderr.write(f"rank {self.rank}: no word from the root in {silence:g} s\n")
                sys.stderr.flush()
                os._exit(1)
            if message.source == ROOT:
                last = time.monotonic()
            self.handle(message)

    def handle(self, message: Received) -> None:
        """Do what a message asks for."""
        kind, source = message.kind, message.source
        if kind is Kind.JOIN:
            self._deaf = False
            self._fates.popleft()
        elif kind is Kind.DATA:
            self._suffer(Data.unpack(message.body).turn)
        # A rank that has left receives only what the experiment sends.
        if self._deaf and kind not in (Kind.ROUND, Kind.END, Kind.GO):
            return
        match kind:
            case Kind.DATA:
                self._take(Data.unpack(message.body), message.body)
            case Kind.PING:
                self.post.send(source, Kind.PONG, message.value, held=True)
            case Kind.PONG:
                self._measure(source, message.value)
            case Kind.PROBE | Kind.JOIN:
                self.probe(*message.value)
            case Kind.ASK | Kind.END:
                self.post.send(ROOT, Kind.HERE, (message.value, None))
            case Kind.ROUND:
                self.slow = message.value
            case Kind.GO:
                self.finalize = message.value

    def pass_on(self, data: Data, body: Bytes) -> None:
        """Send a broadcast's message to this rank's children."""
        for child in data.onward(self.rank):
            self.post.send(child, Kind.DATA, body, held=True)

    def probe(self, token: int, peers: list[int]) -> None:
        """Begin to measure the latency to some ranks, all at once."""
        self._probe = _Probe(token, dict.fromkeys(peers, PINGS))
        for peer in peers:
            self._ping(self._probe, peer)

    def _suffer(self, turn: int) -> None:
        """Leave or die in the middle of a broadcast, if the script says so."""
        if self._fates and self._fates[0].fate != "join" and self._fates[0].turn <= turn:
            if self._fates.popleft().fate == "kill":
                os._exit(0)
            self._deaf = True

    def _take(self, data: Data, body: Bytes) -> None:
        self.pass_on(data, body)
        self.post.send(ROOT, Kind.GOT, (data.number, None))
        right = self.setting.payload(data.number)
        self.post.send(ROOT, Kind.CHECKED, (data.number, first_wrong(data.payload, right)))

    def _ping(self, probe: _Probe, peer: int) -> None:
        probe.sent[peer] = time.monotonic()
        self.post.send(peer, Kind.PING, probe.token, held=True)

    def _measure(self, peer: int, token: int) -> None:
        """Take the end of a ping-pong: a link takes half of it."""
        probe = self._probe
        if probe is None or probe.token != token:
            return
        half = (time.monotonic() - probe.sent[peer]) / 2
        probe.best[peer] = min(half, probe.best.get(peer, half))
        probe.left[peer] -= 1
        if probe.left[peer]:
            self._ping(probe, peer)
        elif not any(probe.left.values()):
            self._probe = None
            self.post.send(ROOT, Kind.SEEN, (token, probe.best))
