"""A flip-flop between the network's config port and a switch or node interface."""

from typing import Any

from amaranth import Module, Signal

__all__ = ["config_stage"]


def config_stage(m: Module, outside: Any, inside: Any) -> None:
    """Join a config port to a part's, requests one cycle later: they come from far away.

    Parameters
    ----------
    m : Module
        Where both are.
    outside : flipped ConfigSignature
        The port of the whole.
    inside : ConfigSignature
        The port of the part that answers.
    """
    for name in ("valid", "node", "address", "write", "data"):
        kept = Signal.like(getattr(outside, name), name=f"asked_{name}")
        m.d.sync += kept.eq(getattr(outside, name))
        m.d.comb += getattr(inside, name).eq(kept)
    for name in ("ready", "error", "rdata"):
        m.d.comb += getattr(outside, name).eq(getattr(inside, name))
