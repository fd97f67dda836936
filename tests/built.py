"""Names of the files that a build writes."""

_ENDS = (".v", "_plan.json", "_registers.json", "_registers.h", ".rdl")
_SET_UP = ("_setup.h", "_setup.hex", "_tb.v")
_FLOW = (".sdc", ".core", ".f", ".bender.yml")


def built(name: str) -> list[str]:
    """Return those of a network with groups and no front, in their order."""
    return [f"{name}{end}" for end in (*_ENDS, *_SET_UP, *_FLOW)]
