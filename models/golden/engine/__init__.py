"""The collective engine, written from docs/microarchitecture-engine.md alone."""

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine, Outputs
from syncfabric.models.golden.engine.memory import Answer, Entry, Freed, Image, Message
from syncfabric.models.golden.engine.network import EngineNetwork, Place

__all__ = [
    "Answer",
    "Engine",
    "EngineNetwork",
    "Entry",
    "Freed",
    "Image",
    "Message",
    "Outputs",
    "Place",
    "Request",
]
