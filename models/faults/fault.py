"""What a test does to the wires of a guarded link, to hardware and golden model alike."""

import enum
from dataclasses import dataclass


class FaultKind(enum.IntEnum):
    """What becomes of a link's wires between its two guards."""

    FLIP, DROP, CREDIT, DEAD, INJECTED, STREAM_FLIP, STREAM_LOW, STREAM_HIGH = range(8)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one directed link (docs/microarchitecture-faults.md, F6).

    Parameters
    ----------
    cycle : int
        The cycle in which it is; DEAD is from then on.
    link : int
        Number of the directed link.
    kind : FaultKind
        FLIP: the forward wires in ``mask`` are inverted. DROP: all forward wires are 0. CREDIT:
        the credit wires in ``mask`` are 0. DEAD: all wires of it are 0, those back too. INJECTED:
        if nothing is on the link, its forward wires are ``mask``. STREAM_FLIP, STREAM_LOW,
        STREAM_HIGH: streams' wires in the mask are inverted, are 0, are 1; in hardware alone.
    mask : int
        Forward wires from the low bits up: `flit`, `valid`, `message_valid` and `message_rest`
        unless messages have links of their own, `stream_valid` and `stream_rest` if words of
        streams are on the flits' wires, `sequence`, `probe`, `check`; then, of own links,
        `message`, `message_valid`, `message_check`. Credit wires: a bit a channel, ordinary ones
        first.
        Streams' wires: `stream_valid`, `stream` or, on flits' wires, `flit` and `stream_rest`,
        `stream_fault`, `stream_sent`, then
        `stream_freed`, without guards `stream_credit`.
    """

    cycle: int
    link: int
    kind: FaultKind
    mask: int = 0
