"""The words of a barrier register that is a message's, in registers and in memory."""

from __future__ import annotations

from dataclasses import replace

from syncfabric.models.messages import (
    ARRIVED,
    COMMAND_WORD,
    CONTROL,
    LIFE,
    NODE_WORD,
    PARENT_WORD,
    PENDING,
    STATUS,
    TREE,
    TRIPPED,
    Layout,
    MeshLayout,
    RegisterWord,
    SwitchWord,
    tripped_at,
)
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, RegisterSpec
from syncfabric.models.register_map.parts import Bits, Word, bits_of, whole

__all__ = ["RESULT", "control_fields", "register_words", "without_turn"]

_COMMAND = "1 GO, as if it came from above; 2 KILL"
RESULT = "Data of the last barrier"


def register_words(network: RegisterSpec, ports: int, *, process: bool) -> tuple[Word, ...]:
    """Return the words of a register.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
    ports : int
        Ports of the switch or node interface, on an irregular network.
    process : bool
        It has a process: it is no switch's.
    """
    if isinstance(network, IrregularSpec):
        return _of_switch(network, ports, process=process)
    return _of_mesh(network)


def control_fields(kept: int = -1) -> tuple[Bits, ...]:
    """Return the fields of a control word; after reset it is not valid."""
    fields = bits_of(CONTROL, "rw", kept=kept)
    return (replace(fields[0], reset=0), *fields[1:])


def without_turn() -> int:
    """Return the mask of a control word where no message has a turn to take."""
    return ~(1 << CONTROL.offsets["turn"])


def _of_mesh(network: MeshSpec) -> tuple[Word, ...]:
    layout = network.layout
    node, parent = _node_mask(layout, "present"), _node_mask(layout, "relay")
    children = {
        RegisterWord.EAST: "Child +X",
        RegisterWord.NORTH: "Child +Y",
        RegisterWord.WEST: "Child -X",
        RegisterWord.SOUTH: "Child -Y",
    }
    status = _with_life(network, STATUS, watched=network.watched)
    if network.managed:
        status += whole("command", "w", _COMMAND)
    control = "Control word; written last"
    above = "Parent; not used at the root"
    return (
        _word(RegisterWord.CONTROL, control, control_fields()),
        _word(RegisterWord.PARENT, above, bits_of(PARENT_WORD, "rw", kept=parent)),
        *(
            _word(word, meaning, bits_of(NODE_WORD, "rw", kept=node))
            for word, meaning in children.items()
        ),
        _word(RegisterWord.STATUS, "Status word", status),
        _word(RegisterWord.RESULT, RESULT, _result(network)),
    )


def _of_switch(network: IrregularSpec, ports: int, *, process: bool) -> tuple[Word, ...]:
    kept = _tree_mask(TREE, ports)
    seen = (1 << ports) - 1 | 1 << ARRIVED.offsets["fired"]
    state = _with_life(network, ARRIVED, seen, watched=network.watched and process)
    command = whole("command", "w", _COMMAND)
    words = [
        _word(
            SwitchWord.CONTROL,
            "Control word; written last",
            control_fields(without_turn()),
        ),
        _word(SwitchWord.TREE, "Tree word", bits_of(TREE, "rw", kept=kept)),
        *([Word("COMMAND", COMMAND_WORD, "Command", command)] if network.managed else []),
        _word(SwitchWord.ARRIVED, "Arrived word", state),
        _word(SwitchWord.PENDING, "Pending word", bits_of(PENDING, "r", kept=seen, reset=0)),
        _word(SwitchWord.RESULT, RESULT, _result(network)),
    ]
    return tuple(words)


def _word(word: RegisterWord | SwitchWord, meaning: str, fields: tuple[Bits, ...]) -> Word:
    return Word(word.name, int(word), meaning, fields)


def _with_life(
    network: RegisterSpec, layout: Layout, kept: int = -1, *, watched: bool
) -> tuple[Bits, ...]:
    """Return what is read of a register's state, its life if managers set it up, and its trip."""
    fields = bits_of(layout, "r", kept=kept, reset=0)
    if network.managed:
        fields += bits_of(LIFE, "r", low=layout.width, reset=0)
    if watched:
        at = tripped_at(layout, managed=network.managed)
        fields += bits_of(TRIPPED, "r", low=at, reset=0)
    return fields


def _result(network: RegisterSpec) -> tuple[Bits, ...]:
    return whole("data", "r", RESULT, width=network.data_bits)


def _node_mask(layout: MeshLayout, flag: str) -> int:
    """Return the bits of a parent's or child's word that a mesh of this size keeps."""
    x = (1 << layout.x_bits) - 1 << PARENT_WORD.offsets["x"]
    return x | (1 << layout.y_bits) - 1 << PARENT_WORD.offsets["y"] | 1 << PARENT_WORD.offsets[flag]


def _tree_mask(layout: Layout, ports: int) -> int:
    """Return the mask of a tree word's bits that a unit of so many ports keeps."""
    parent, children = (1 << (ports - 1).bit_length()) - 1, (1 << ports) - 1
    return parent << layout.offsets["parent"] | children << layout.offsets["children"]
