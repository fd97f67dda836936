"""Clock enables: what shows that nothing of a node changes in a cycle.

A register that is 0 unless something goes on is marked where it is made. A node idles while all of
these are at rest and nothing comes in: then no register changes that anything depends on.
"""

from amaranth import Cat, Const, Signal, Value
from amaranth.hdl import Fragment
from amaranth.hdl._ast import SignalSet
from amaranth.lib import wiring

_COMES = ("valid", "credit", "arrive", "reset")
"""How the names of inputs end by which something comes; all others are words or constants."""
_PACKETS = {"packets", "inject", "eject"}
"""Interfaces that packets go through."""


def transient(signal: Signal, rest: int = 0) -> Signal:
    """Mark a register that has this value while nothing goes on; return it."""
    signal.rest = rest & (1 << len(signal)) - 1
    return signal


def running(signal: Signal) -> Signal:
    """Mark a register that changes by itself, so that its node never idles; return it."""
    signal.rest = None
    return signal


def activity(fragment: Fragment, domain: str = "sync") -> Value:
    """Return whether some marked register of a fragment, in a clock domain, is not at rest.

    Each part of it shows that of its own, as the signal ``awake``.

    Parameters
    ----------
    fragment : Fragment
        Elaborated, with all that is in it.
    domain : str
    """
    terms = [activity(part, domain) for part, *_ in fragment.subfragments]
    for signal in SignalSet(
        s for one in fragment.statements.get(domain, ()) for s in one._lhs_signals()
    ):
        rest = getattr(signal, "rest", 0)
        if len(signal) and hasattr(signal, "rest"):
            terms.append(Const(1, 1) if rest is None else signal != rest)
    terms = [term for term in terms if not isinstance(term, Const) or term.value]
    if not terms or any(isinstance(term, Const) for term in terms):
        return terms[0] if len(terms) == 1 else Const(len(terms) > 0, 1)
    awake = Signal(name="awake" if domain == "sync" else f"{domain}_awake")
    fragment.add_statements("comb", awake.eq(Cat(terms).any()))
    return awake


def arrives(component: wiring.Component, packets: bool | None = None) -> Value:
    """Return whether something comes in at a component's ports; of packets alone, or all else."""
    ports = component.signature.flatten(component)
    inputs = [
        (path, Value.cast(port))
        for path, member, port in ports
        if member.flow == wiring.In and packets in (None, not _PACKETS.isdisjoint(path))
    ]
    return Cat(port for path, port in inputs if str(path[-1]).endswith(_COMES)).any()
