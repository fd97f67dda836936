"""What dimension order means for one router, found by walking a small mesh from end to end."""

from functools import cache

from syncfabric.models.networks.mesh import Mesh, Port, Turn

__all__ = ["outputs_from"]


@cache
def outputs_from(port: int, turn: Turn) -> tuple[int, ...]:
    """Return the outputs that messages which came in by ``port`` take, LOCAL for their end.

    Parameters
    ----------
    port : int
        EAST 0 to LOCAL 4, which is where they all begin.
    turn : Turn
        First turn of their way.
    """
    mesh, found = Mesh(5, 5), set()
    for source in mesh.nodes:
        for destination in mesh.nodes:
            came = Port.LOCAL
            for _, output in mesh.path(source, destination, turn):
                if came == port:
                    found.add(int(output))
                came = output.opposite
            if came == port:
                found.add(int(Port.LOCAL))
    return tuple(sorted(found))
