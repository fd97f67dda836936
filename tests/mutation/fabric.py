"""Mutants of what evaluates the tiles: tiles that sleep when they may not, members that err."""

from tests.mutation.mutant import Mutant


def _broken(name: str, part: str, old: str, new: str, test: str = "idle") -> Mutant:
    """Return a fault that a test of the fabric must notice."""
    return Mutant(
        f"fabric: {name}", f"sim/fabric/{part}.h", old, new, (f"tests/sim/fabric/test_{test}.py",)
    )


FABRIC = (
    _broken(
        "a process that becomes ready is not looked at",
        "probe",
        "return ready != t.ready || done != t.done",
        "return done != t.done",
        "same_trace",
    ),
    _broken(
        "a result that is no more is not looked at",
        "probe",
        "FOR_DATA(|| result != t.result);",
        ";",
        "same_trace",
    ),
    _broken("every tile sleeps at once", "active", "return memory.is_kept(t);", "return true;"),
    _broken(
        "a part of a tile is not looked at",
        "idle",
        "std::memcmp(kept, table_of(tile) + part.offset, part.size)",
        "std::memcmp(kept, table_of(tile) + part.offset, part.size / 2)",
    ),
    _broken(
        "what comes by a link wakes nobody",
        "active",
        "if (link->forward()) wake_later(link->target);",
        "link->forward();",
    ),
    _broken(
        "who arrives is not woken",
        "fabric",
        "void mark(int tile) { active_->wake(tile), dirty_.push_back(tile); }",
        "void mark(int tile) { dirty_.push_back(tile); }",
    ),
    _broken(
        "no tile ever sleeps",
        "active",
        "return memory.is_kept(t);",
        "false",
    ),
    _broken(
        "barriers that are active get no edge",
        "evaluate",
        "(tile.barriers_active ? edges.barriers : 0)",
        "0",
    ),
    _broken(
        "packets and barriers have one clock",
        "evaluate",
        "return known ? edges : Edges{};",
        "return {};",
    ),
    _broken(
        "a member lingers a cycle too long",
        "members",
        "left_ = linger - 1",
        "left_ = linger",
        "members",
    ),
    _broken(
        "a node's generator stands still",
        "members",
        "state_ ^= state_ << 13, state_ ^= state_ >> 17, state_ ^= state_ << 5;",
        "",
        "members",
    ),
)
