"""The schemes of meshes."""

from syncfabric.models.schemes.scheme import Scheme
from syncfabric.models.timing.btm import Timing

__all__ = ["MESH"]

MESH = (
    Scheme(
        "btm",
        "barrier tree: members only, 4-ary, by quadrants",
        "paper BTM, section 2",
        ("mesh",),
        Timing,
        "mesh.btm:cost",
    ),
    Scheme(
        "cs",
        "CS tree: all X-Y ways to the root, with registers at nodes on the way",
        "paper BTM, section 3.3",
        ("mesh",),
        Timing,
        "mesh.cs:cost",
    ),
    Scheme(
        "cs-nearest",
        "CS tree whose ways join it as early as they can",
        "paper BTM, section 3.3",
        ("mesh",),
        Timing,
        "mesh.nearest:cost",
    ),
    Scheme(
        "hp",
        "worms along a Hamiltonian path through the members",
        "paper BTM, Table 1",
        ("mesh",),
        Timing,
        "mesh.hp:cost",
    ),
    Scheme(
        "brcp",
        "worms that conform to X-Y routing, along rows, then columns",
        "paper BTM, Table 1",
        ("mesh",),
        Timing,
        "mesh.brcp:cost",
    ),
    Scheme(
        "unicast",
        "the root receives a message from each member, and sends one to each",
        "paper BTM, section 1",
        ("mesh",),
        Timing,
        "mesh.unicast:cost",
    ),
)
