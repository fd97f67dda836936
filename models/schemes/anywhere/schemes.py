"""The schemes that fit networks of several kinds, by name."""

from __future__ import annotations

from syncfabric.models.schemes.scheme import Scheme
from syncfabric.models.timing.loggp import LogGP, MemoryLogGP

__all__ = ["ANYWHERE"]

ANYWHERE = (
    Scheme(
        "dissemination",
        "in round k member i signals member (i + 2^k) mod P",
        "paper Reflex, section II",
        ("mesh", "irregular", "static"),
        LogGP,
        "anywhere.dissemination:dissemination_cost",
    ),
    Scheme(
        "centralized",
        "members count down a variable in memory, and spin on another",
        "paper Reflex, section II",
        ("mesh", "irregular", "static"),
        MemoryLogGP,
        "anywhere.centralized:centralized_cost",
    ),
    Scheme(
        "wires",
        "a level up a tree of wires, and a pulse down",
        "ours",
        ("mesh", "irregular"),
        LogGP,
        "anywhere.wires:wires_cost",
    ),
)
