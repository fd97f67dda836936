"""Random life for barrier registers: images, and messages that they wait for."""

import random
from collections.abc import Sequence

from syncfabric.models.messages import CONTROL, TREE, Kind, Op, SwitchWord
from tests.rtl.irregular.sync_model import Message
from tests.rtl.irregular.tree_model import TreeModel

__all__ = ["image", "message_for"]


def image(rng: random.Random, model: TreeModel, gid: int) -> list[tuple[int, int]]:
    """Return the words, in order, that write a new image: number and contents."""
    ports = range(model.ports)
    children = sum(1 << p for p in ports if rng.random() < 0.6)
    tree = {"parent": 0 if model.node else rng.choice(ports), "children": children}
    control = {
        "valid": 1,
        "root": rng.random() < 0.4,
        "turn": rng.randrange(2),
        "op": rng.randint(0, Op.SUM if model.spec.operations == "all" else Op.XOR),
        "epoch": rng.randrange(4),
        "gid": gid,
        "manager": rng.randrange(4),
    }
    beyond = rng.getrandbits(32) >> 4 + model.ports << 4 + model.ports  # no such ports
    return [
        (SwitchWord.CONTROL, 0),
        (SwitchWord.TREE, TREE.pack(tree) | beyond),
        (SwitchWord.CONTROL, CONTROL.pack(control) | rng.getrandbits(8) << 24),
    ]


def message_for(rng: random.Random, groups: Sequence[tuple[int, TreeModel]], port: int) -> Message:
    """Return a message that some group waits for at a port, or with one thing about it wrong.

    Parameters
    ----------
    rng : random.Random
    groups : sequence of (gid, TreeModel)
        Not empty.
    port : int
    """
    useful = [
        (gid, group)
        for gid, group in groups
        if group.valid
        and ((group.fired and port == group.parent) or port in group.children - group.arrived)
    ]
    gid, group = rng.choice(useful if useful and rng.random() < 0.85 else groups)
    down = group.fired and port == group.parent
    message = Message(
        Kind.DISTRIBUTE if down else Kind.REDUCE,
        gid,
        group.control["epoch"],
        rng.randrange(1 << group.spec.data_bits),
    )
    wrong = rng.random()
    if wrong < 0.08:
        return message._replace(kind=rng.randrange(4))
    if wrong < 0.12:
        return message._replace(epoch=rng.randrange(4))
    return message._replace(gid=rng.randrange(256)) if wrong < 0.14 else message
