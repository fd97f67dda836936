"""Ways to break set-up by managers, each with the proof that must fail of it."""

from tests.formal.kinds import Break

__all__ = ["LIFECYCLE_BREAKS"]

SINK, PORT = "rtl/lifecycle/sink.py", "rtl/lifecycle/set_up_port.py"

LIFECYCLE_BREAKS = (
    Break(
        "any manager changes any entry",
        "set-up: sink",
        SINK,
        " | (shape.owner(request.entry) != request.manager)",
        "",
    ),
    Break(
        "a spoilt request is obeyed",
        "set-up: sink",
        SINK,
        "(length == 1) | cut |",
        "(length == 1) |",
    ),
    Break(
        "a request is served whose reply has no place",
        "set-up: sink",
        SINK,
        "Array([*taken, *",
        "Array([*[Const(0, 1)] * shape.managers, *",
    ),
    Break(
        "a reply leaves without its tag",
        "set-up: sink",
        SINK,
        "reply.tag.eq(request.tag)",
        "reply.tag.eq(0)",
    ),
    Break(
        "a sink waits until its reply has left",
        "set-up: sink",
        SINK,
        "self.listens.eq(state == State.LISTEN)",
        "self.listens.eq((state == State.LISTEN) & ~self.reply_valid)",
    ),
    Break(
        "the chain commits a sink's words",
        "set-up: an engine's port for two",
        "rtl/lifecycle/access.py",
        "chain_asks & foreign & setup",
        "chain_asks & foreign & setup & self.locks",
    ),
    Break(
        "a process sends on the set-up channel",
        "set-up: port of a process",
        PORT,
        "self.router_in.valid[last].eq(channel.sends)",
        "self.router_in.valid[last].eq(channel.sends | self.router_in.flit.head)",
    ),
    Break(
        "a request comes between the flits of a reply",
        "set-up: port of a process",
        PORT,
        "chosen.eq(Mux(begun, requests, ~self.reply_valid))",
        "chosen.eq(~self.reply_valid)",
    ),
    Break(
        "an ordinary flit's credit is kept",
        "set-up: port of a sink",
        PORT,
        "self.router_out.credit[:count].eq(came)",
        "self.router_out.credit[:count].eq(came & ~channel.sends)",
    ),
    Break(
        "the manager sends beside a message",
        "set-up: end of a link",
        "rtl/planes/interface.py",
        "& credits.available & ~message",
        "& credits.available",
    ),
    Break(
        "a manager that is not there answers",
        "set-up: manager",
        "rtl/lifecycle/manager.py",
        "                ~self.enable\n",
        "                ~(self.enable | self.config.write)\n",
    ),
    Break(
        "a request bears another's number",
        "set-up: manager",
        "rtl/lifecycle/manager.py",
        "asked.manager.eq(self.index)",
        "asked.manager.eq(self.word)",
    ),
)
