"""What the shared part of a spill engine must know of its kind's entries."""

from dataclasses import dataclass
from typing import Any

from amaranth.lib import data

from syncfabric.models.messages import CONTROL
from syncfabric.models.networks.spec import (
    RegisterSpec,
)
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.life import LIFE_STATE

__all__ = ["EntryForm"]


@dataclass(frozen=True)
class EntryForm:
    """Fields and words of an entry, and who is beside the engine.

    Parameters
    ----------
    links : int
        Ports that messages come by.
    image : dict of str to shape
        Fields that say where parent and children are.
    arrivals : int
        Bits of ``arrived``; the last is the process's, if there is one.
    beside : dict of str to int
        What comes by a port beside a message.
    words : tuple of int
        Config words that hold the image.
    command : int
        Config word that takes commands, with set-up by managers.
    turns : bool
        The control word's ``turn`` is kept.
    passes_waves : bool
        GO and BROKEN go on to children.
    beyond : bool
        What a command begins goes on by the parent's port, too.
    process, sink : bool
        There are a node's process, and a set-up sink.
    """

    links: int
    image: dict[str, Any]
    arrivals: int
    beside: dict[str, int]
    words: tuple[int, ...]
    command: int
    turns: bool
    passes_waves: bool
    beyond: bool
    process: bool
    sink: bool

    def entry(self, network: RegisterSpec) -> data.StructLayout:
        """Return the layout of an entry."""
        bits = network.data_bits
        fields: dict[str, Any] = {
            "control": struct(CONTROL),
            **self.image,
            "arrived": self.arrivals,
            "fired": 1,
            "queued": 1,
            "acc": bits,
            "result": bits,
        }
        if network.managed:
            fields["life"] = LIFE_STATE
        if self.sink:
            fields["listed"] = 1
        if self.beyond:
            fields["beyond"] = 1
        return data.StructLayout(fields)

    def heard(self, network: RegisterSpec) -> data.StructLayout:
        """Return the layout of what comes by a port."""
        return data.StructLayout({"message": struct(network.layout.sync), **self.beside})
