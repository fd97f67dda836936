"""What a set-up sink does to obey a request, step by step."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from syncfabric.models.messages import (
    CONTROL,
    REGISTER_WORDS,
    REQUEST,
    WIRE_IMAGE,
    Answer,
    Command,
    Request,
)

__all__ = ["Access", "Dialect", "Holder", "Steps", "obey"]

CONTROL_WORD = 0


class Access(NamedTuple):
    """A request of a sink on its own router's config port; reads have data 0."""

    address: int
    write: bool
    data: int


Steps: TypeAlias = "Generator[Access | None, tuple[bool, int], Answer]"
"""Yields an access, and is sent whether it was refused and the answer's data; or None: a cycle."""


class Dialect(NamedTuple):
    """What differs between the registers of the two kinds of network.

    Parameters
    ----------
    image : mapping of word to int
        The words that SETUP brings, rising, and the bits that a register keeps of each.
    control : int
        The bits that it keeps of a control word.
    state, busy : int
        The word that shows a register's state, and its bits that mean that it is busy.
    command : int
        The word that takes commands.
    names_slot : bool
        Whether SETUP says which register it is for; else it takes the lowest that is free.
    """

    image: Mapping[int, int]
    control: int
    state: int
    busy: int
    command: int
    names_slot: bool = False


class Holder(Protocol):
    """A register, as far as sinks look at it."""

    @property
    def valid(self) -> bool:
        """Whether a group has it."""

    @property
    def gid(self) -> int:
        """The group."""


def obey(words: Sequence[int], registers: Sequence[Holder], dialect: Dialect) -> Steps:
    """Obey a request, beginning in its cycle LOOK (section S4 of docs/microarchitecture.md).

    Parameters
    ----------
    words : sequence of int
        The packet's flits, header first.
    registers : sequence of Holder
        The router's.
    dialect : Dialect
        Of the network's kind.

    Returns
    -------
    Answer
        When the generator ends, in the cycle ANSWER.
    """
    request = REQUEST.unpack(words[1])
    operation = request["operation"]
    length = 2 + (len(dialect.image) if operation == Request.SETUP else 0)
    found = next(
        (
            r * REGISTER_WORDS
            for r, register in enumerate(registers)
            if register.valid and register.gid == request["gid"]
        ),
        None,
    )
    free = _find_free(words, registers, names_slot=dialect.names_slot)
    yield None
    if operation > Request.KILL or len(words) != length:
        return Answer.BAD
    if operation != Request.SETUP:
        if found is None:
            return Answer.OK
        return (yield from _end(found, request, dialect))
    images = [
        (word, data & kept)
        for (word, kept), data in zip(dialect.image.items(), words[2:], strict=True)
    ]
    names = ("root", "turn", "op", "epoch", "gid", "manager")
    control = CONTROL.pack({"valid": 1, **{name: request[name] for name in names}})
    images.append((CONTROL_WORD, control & dialect.control))
    if found is not None:
        refusal = Answer.EXISTS
        same = yield from _compare(found, images, dialect)
    elif free is not None:
        found, refusal = free, Answer.BAD
        same = yield from _store(free, images)
    else:
        return Answer.FULL
    if same and request["fire"]:
        refused, _ = yield Access(found + dialect.command, True, Command.GO)
        same = not refused
    return Answer.OK if same else refusal


def _find_free(
    words: Sequence[int], registers: Sequence[Holder], *, names_slot: bool
) -> int | None:
    """Return the address of the register that a SETUP would write; None if there is none."""
    wanted = range(len(registers))
    if names_slot:
        slot = WIRE_IMAGE.unpack(words[2])["slot"] if len(words) > 2 else 0
        wanted = wanted[slot : slot + 1]
    return next((r * REGISTER_WORDS for r in wanted if not registers[r].valid), None)


def _compare(
    base: int, images: Sequence[tuple[int, int]], dialect: Dialect
) -> Generator[Access | None, tuple[bool, int], bool]:
    """Read a register; return whether it holds these words, and is not busy."""
    same = True
    for word, expected in images:
        _, data = yield Access(base + word, False, 0)
        same = same and data == expected
    _, state = yield Access(base + dialect.state, False, 0)
    return same and not state & dialect.busy


def _store(
    base: int, images: Sequence[tuple[int, int]]
) -> Generator[Access | None, tuple[bool, int], bool]:
    """Write a register; return whether no write was refused."""
    for word, data in images:
        refused, _ = yield Access(base + word, True, data)
        if refused:
            return False
    return True


def _end(base: int, request: Mapping[str, int], dialect: Dialect) -> Steps:
    """Clear or kill a register, for the manager that wrote it."""
    _, control = yield Access(base + CONTROL_WORD, False, 0)
    if CONTROL.unpack(control)["manager"] != request["manager"]:
        return Answer.DENIED
    if request["operation"] == Request.KILL:
        yield Access(base + dialect.command, True, Command.KILL)
        return Answer.OK
    refused, _ = yield Access(base + CONTROL_WORD, True, 0)
    return Answer.BUSY if refused else Answer.OK
