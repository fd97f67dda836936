"""Amaranth layouts of the words that ``models/messages/`` and ``models/layout/`` define."""

from amaranth.lib import data

from syncfabric.models.messages.layout import Layout


def struct(layout: Layout) -> data.StructLayout:
    """Return ``layout`` as an Amaranth layout, first field in the low bits, absent ones last."""
    fields = {field.name: field.width for field in layout.fields}
    return data.StructLayout(fields | dict.fromkeys(layout.absent, 0))
