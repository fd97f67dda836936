"""Amaranth layouts of the messages and words that ``models/messages/`` defines."""

from amaranth import Cat, Const, Value
from amaranth.lib import data

from syncfabric.models.messages import NODE_WORD, PARENT_WORD, Layout, MeshLayout

__all__ = ["node_contents", "node_place", "node_word", "parent_word", "struct"]


def struct(layout: Layout) -> data.StructLayout:
    """Return ``layout`` as an Amaranth layout, first field in the low bits."""
    return data.StructLayout({field.name: field.width for field in layout.fields})


def node_place(layout: MeshLayout) -> data.StructLayout:
    """Return what a register keeps of a parent or child: no more bits than the mesh needs."""
    return data.StructLayout({"x": layout.x_bits, "y": layout.y_bits, "present": 1})


def node_word(word: Value) -> data.View:
    """Return a config word read as the place of a parent or child."""
    return struct(NODE_WORD)(word[: NODE_WORD.width])


def parent_word(word: Value) -> data.View:
    """Return a config word read as a register's word PARENT."""
    return struct(PARENT_WORD)(word[: PARENT_WORD.width])


def node_contents(place: data.View) -> Value:
    """Return the config word that shows what a register keeps of a parent or child."""
    contents = []
    for field in NODE_WORD.fields:
        kept = Value.cast(getattr(place, field.name))
        contents += [kept, Const(0, field.width - len(kept))]
    return Cat(contents)
