"""Ways to let in who may not, each with the proof that must fail of it."""

from tests.formal.kinds import Break

__all__ = ["ACCESS_BREAKS"]

ACCESS_BREAKS = (
    Break(
        "who waits at a static node arrives once more",
        "core of a static node, whatever is tried",
        "rtl/static/core.py",
        "accepted.eq(port.arrive & port.ready & ~waiting & ~clear)",
        "accepted.eq(port.arrive & port.ready & ~clear)",
    ),
    Break(
        "a role that is refused is written all the same",
        "core of a static node with a watchdog, whatever is tried",
        "rtl/static/config.py",
        "with m.If(writes & to_word[StaticWord.ROLE] & self.idle):",
        "with m.If(writes & to_word[StaticWord.ROLE]):",
    ),
    Break(
        "a word for the loader is taken in the middle of another",
        "loader of routes, whatever is asked",
        "rtl/static/config.py",
        "                ~shifting\n                & Mux(",
        "                Mux(",
    ),
    Break(
        "what a process sends gets into the chain of routes",
        "static node, whatever processes send",
        "rtl/static/node.py",
        "switch.route_in.eq(self.route_in)",
        "switch.route_in.eq(self.route_in | self.port.send_valid)",
    ),
)
