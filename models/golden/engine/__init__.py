"""The collective engine, written from docs/microarchitecture-engine.md alone."""

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine, Outputs
from syncfabric.models.golden.engine.memory import Answer, Entry, Freed, Image, Message

__all__ = [
    "Answer",
    "Engine",
    "Entry",
    "Freed",
    "Image",
    "Message",
    "Outputs",
    "Request",
]
