"""The collectives: their names, senders, receivers, and the messages that must be delivered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

Kind = Literal[
    "OAB",
    "OAS",
    "AOG",
    "AOR",
    "multicast",
    "AAB",
    "AAS",
    "AAR",
    "permutation",
    "MNB",
    "MNS",
]

KINDS: tuple[Kind, ...] = get_args(Kind)

TEXTS: dict[Kind, str] = {
    "OAB": "one-to-all broadcast: a message from one node to all others",
    "OAS": "one-to-all scatter: a message of its own from one node to each other",
    "AOG": "all-to-one gather: a message from each node to one",
    "AOR": "all-to-one reduce: as gather, and nodes combine what they pass on",
    "multicast": "as broadcast, to some of the others",
    "AAB": "all-to-all broadcast: broadcast from every node",
    "AAS": "all-to-all scatter: scatter from every node",
    "AAR": "all-to-all reduce: reduce to every node",
    "permutation": "a message from each sender to one receiver of its own",
    "MNB": "many-to-many broadcast: a message from each sender to all receivers",
    "MNS": "many-to-many scatter: a message of its own from each sender to each receiver",
}

USUAL_NAMES: dict[Kind, str] = {
    "OAB": "broadcast",
    "OAS": "scatter",
    "AOG": "gather",
    "AOR": "reduce",
    "AAB": "allgather",
    "AAS": "alltoall",
    "AAR": "reduce-scatter",
}
"""The names of MPI and NCCL, by the paper's; other kinds have no collective of theirs."""
_SYNONYMS: dict[str, Kind] = {
    "bcast": "OAB",
    "completeexchange": "AAS",
    "reducescatterblock": "AAR",
}

BROADCASTS = {"OAB", "multicast", "AAB", "MNB"}
"""One message goes to many, and whoever has it may pass it on."""

DUAL: dict[Kind, Kind] = {"AOG": "OAS", "AOR": "OAB", "AAR": "AAB"}
"""Of which collective these are the time reversal."""


@dataclass(frozen=True)
class Collective:
    """Who sends and who receives.

    Parameters
    ----------
    kind : str
        One of ``KINDS``: the paper's name.
    senders, receivers : tuple of int
        Nodes, at least one, each once; they may overlap. In a permutation sender i sends to
        receiver i, so the two are as long as each other. A node sends nothing to itself.

    Raises
    ------
    SpecError
        The sets are not such as the kind wants.
    """

    kind: Kind
    senders: tuple[int, ...]
    receivers: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise _unknown(self.kind)
        for role, members in (("senders", self.senders), ("receivers", self.receivers)):
            if not members:
                raise SpecError(f"collective {self.name}: there are no {role}")
            if len(set(members)) < len(members):
                twice = next(m for m in members if members.count(m) > 1)
                raise SpecError(f"collective {self.name}: node {twice} is there twice in {role}")
        one = {"OAB": "senders", "OAS": "senders", "multicast": "senders"} | {
            "AOG": "receivers",
            "AOR": "receivers",
        }
        if self.kind in one and len(getattr(self, one[self.kind])) > 1:
            raise SpecError(
                f"collective {self.name}: it has one node as {one[self.kind]}, "
                f"not {len(getattr(self, one[self.kind]))}"
            )
        if self.kind == "permutation" and len(self.senders) != len(self.receivers):
            raise SpecError(
                f"collective permutation: sender i sends to receiver i, but there are "
                f"{len(self.senders)} senders and {len(self.receivers)} receivers"
            )

    @property
    def name(self) -> str:
        """The name of MPI and NCCL, if they have one, else the kind: what files and tables have."""
        return name_of(self.kind)

    @property
    def broadcast(self) -> bool:
        """Whether one message goes to many, and those who have it may pass it on."""
        return self.kind in BROADCASTS

    @property
    def reversal(self) -> Collective | None:
        """The collective whose schedules, in reverse, are this one's; None if it is none."""
        if self.kind not in DUAL:
            return None
        return Collective(DUAL[self.kind], self.receivers, self.senders)

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield who must be served by whom: each message's origin and destination."""
        if self.kind == "permutation":
            yield from (p for p in zip(self.senders, self.receivers, strict=True) if p[0] != p[1])
        else:
            yield from ((s, r) for s in self.senders for r in self.receivers if s != r)

    def pair_array(self) -> NDArray[np.int32]:
        """Return the pairs as an array of shape (pairs, 2), in the same order."""
        senders = np.array(self.senders, dtype=np.int32)
        receivers = np.array(self.receivers, dtype=np.int32)
        if self.kind != "permutation":
            senders, receivers = (a.ravel() for a in np.meshgrid(senders, receivers, indexing="ij"))
        found = np.stack([senders, receivers], axis=1)
        kept: NDArray[np.int32] = found[senders != receivers]
        return kept

    @cached_property
    def demand(self) -> int:
        """How many pairs there are."""
        if self.kind == "permutation":
            return sum(1 for _ in self.pairs)
        own = len(set(self.senders) & set(self.receivers))
        return len(self.senders) * len(self.receivers) - own

    def check_on(self, topology: Topology) -> None:
        """Refuse a collective whose nodes a topology lacks, or that leaves out what it may not.

        Raises
        ------
        SpecError
            A sender or a receiver is no node, or a collective of all leaves out a node.
        """
        nodes = set(range(topology.nodes))
        for role, members in (("sender", self.senders), ("receiver", self.receivers)):
            for member in members:
                if member not in nodes:
                    raise SpecError(
                        f"collective {self.name}: {role} {member} is not in topology "
                        f"{topology.name}; its nodes are 0 to {topology.nodes - 1}"
                    )
        wholes = {
            "senders": {"AOG", "AOR", "AAB", "AAS", "AAR"},
            "receivers": {"OAB", "OAS", "AAB", "AAS", "AAR"},
        }
        for role, kinds in wholes.items():
            others = self.receivers if role == "senders" else self.senders
            single = set(others) if len(others) == 1 else set[int]()
            lost = nodes - set(getattr(self, role)) - single
            if self.kind in kinds and lost:
                wider = "MNS" if self.kind in ("OAS", "AOG", "AAS") else "MNB or multicast"
                raise SpecError(
                    f"collective {self.name}: {role} must be all nodes, but {min(lost)} is missing"
                    f"; for fewer use {wider}"
                )


def kind_of(name: str) -> Kind:
    """Return the kind of a name: ``aab``, ``allgather``, ``All-Gather`` or ``MPI_Allgather``.

    Raises
    ------
    SpecError
        No collective has this name.
    """
    word = plain(name)
    known: dict[str, Kind] = {plain(kind): kind for kind in KINDS}
    known |= {plain(text): kind for kind, text in USUAL_NAMES.items()} | _SYNONYMS
    for prefix in ("", "mpi", "nccl"):
        if word.startswith(prefix) and word.removeprefix(prefix) in known:
            return known[word.removeprefix(prefix)]
    raise _unknown(name)


def name_of(kind: Kind) -> str:
    """Return the usual name of a kind: ``allgather``; that of the paper, if it has no other."""
    return USUAL_NAMES.get(kind, kind)


def kind_words(kind: Kind) -> str:
    """Return a kind by both names: ``allgather (AAB)``."""
    return f"{USUAL_NAMES[kind]} ({kind})" if kind in USUAL_NAMES else kind


def plain(name: str) -> str:
    """Return a name without the marks and capitals in which spellings differ."""
    return name.lower().translate({ord(mark): None for mark in "-_ "})


def _unknown(name: str) -> SpecError:
    """Return the refusal of a name, with the nearest one and its meaning."""
    meanings: dict[str, str] = {kind: f"{kind_words(kind)}, {TEXTS[kind]}" for kind in KINDS}
    meanings |= {text: meanings[kind] for kind, text in USUAL_NAMES.items()}
    near = get_close_matches(name.lower(), [word.lower() for word in meanings], n=1, cutoff=0.5)
    if near:
        meaning = next(text for word, text in meanings.items() if word.lower() == near[0])
        return SpecError(f'collective: unknown "{name}"; did you mean {meaning}?')
    return SpecError(
        f'collective: unknown "{name}"; known are {", ".join(map(kind_words, sorted(KINDS)))}'
    )


def collective(
    kind: str,
    topology: Topology,
    senders: Sequence[int] | None = None,
    receivers: Sequence[int] | None = None,
    targets: Sequence[int] | None = None,
) -> Collective:
    """Return a collective on a topology.

    Parameters
    ----------
    kind : str
        The paper's name or that of MPI and NCCL, as ``kind_of`` takes it.
    topology : Topology
    senders, receivers : sequence of int, optional
        By default all nodes; node 0 where there must be one; and where one sends to or receives
        from all, all but that one.
    targets : sequence of int, optional
        For a permutation, the destination of each node. Of ``senders`` only, if they are given.

    Raises
    ------
    SpecError
        Such a collective there is not, or not on this topology.
    """
    kind = kind_of(kind)
    everyone = range(topology.nodes)
    if kind == "permutation":
        if targets is None or receivers is not None:
            raise SpecError("collective permutation: give the permutation, and no receivers")
        senders = tuple(everyone if senders is None else senders)
        receivers = [targets[s] for s in senders if 0 <= s < len(targets)]
    elif targets is not None:
        raise SpecError(f"collective {name_of(kind)}: it takes no permutation")
    elif kind in ("OAB", "OAS", "multicast"):
        senders = (0,) if senders is None else senders
        receivers = [r for r in everyone if r not in senders] if receivers is None else receivers
    elif kind in ("AOG", "AOR"):
        receivers = (0,) if receivers is None else receivers
        senders = [s for s in everyone if s not in receivers] if senders is None else senders
    made = Collective(
        kind,
        tuple(everyone if senders is None else senders),
        tuple(everyone if receivers is None else receivers),
    )
    made.check_on(topology)
    return made
