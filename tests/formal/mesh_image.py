"""What stands around a register of the mesh: software with one image, which is any, and links."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data

from syncfabric.models.messages import CONTROL, Layout, RegisterWord
from syncfabric.rtl.barrier.register import BarrierRegister
from syncfabric.rtl.messages import node_word, parent_word, struct
from tests.formal.properties import Properties

__all__ = ["IMAGE", "present_messages", "write_image"]

IMAGE = data.StructLayout(
    {"present": 4, "root": 1, "relay": 1, "turn": 1, "gid": 8, "epoch": 2, "manager": 2, "up": 4}
)
"""What is written; ``up`` is the port towards the parent, one-hot."""


def write_image(
    m: Module,
    claims: Properties,
    register: BarrierRegister,
    image: data.View,
    write: Value,
    given: Value,
) -> Value:
    """Let software write words of the image; return whether word 0 is being written.

    Parameters
    ----------
    m, claims, register
        The proof and its block.
    image : view of IMAGE
    write, given : Value
        One-hot, which word; its value, which is free where the image says nothing of it.
    """
    control = struct(CONTROL)(given[: CONTROL.width])
    done, written = Signal(5), Signal()
    for p in range(4):
        same = node_word(given).present == image.present.bit_select(p, 1)
        claims.assume(~write[RegisterWord.EAST + p] | same)
    claims.assume(
        (write & (write - 1)) == 0,
        ~write[RegisterWord.PARENT] | (parent_word(given).relay == image.relay),
        ~write[0]
        | (
            (control.gid == image.gid)
            & (control.epoch == image.epoch)
            & (control.root == image.root)
            & (control.turn == image.turn)
            & (control.manager == image.manager)
            & (control.op == 0)
            & (~control.valid | done.all())
        ),
        (image.up & (image.up - 1)) == 0,
        image.up.any(),
        ~(image.root & image.relay),
    )
    m.d.comb += [
        register.write.eq(write),
        register.write_data.eq(given),
        register.up_port.eq(image.up),
        written.eq(write[0] & ~register.write_refused),
    ]
    m.d.sync += done.eq(done | write[1:6])
    return written


def present_messages(
    m: Module, register: BarrierRegister, layout: Layout, here: Value, words: Value, classes: Value
) -> list[Any]:
    """Present a message at each port where one is ``here``; return all four, by port.

    Parameters
    ----------
    m, register
        The proof's module and its block.
    layout : Layout
        Of a message.
    here, words, classes : Value
        By port: one bit, a message, one bit.
    """
    messages: list[Any] = []
    m.d.comb += register.here.eq(here)
    for p in range(4):
        message: Any = struct(layout)(words[p * layout.width : (p + 1) * layout.width])
        late = classes[p]
        m.d.comb += [
            getattr(register, f"message_{p}").eq(message),
            getattr(register, f"class_{p}").eq(Mux(here[p], Cat(~late, late), 0)),
        ]
        messages.append(message)
    return messages
