"""A process that runs one solver at a time: ``python -m sitegen.harness.supervisor FD``.

It is a process of its own so that everything a solver leaves behind becomes its child and can be found, and so that the
limits that solvers inherit do not bind the runner. It ends when the runner closes the connection, even by dying.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from sitegen.harness.assignment import Assignment
from sitegen.harness.descendants import adopt_orphans
from sitegen.harness.limits import set_limits, stay_ahead
from sitegen.harness.solver import solve


def main(descriptor: int) -> None:
    """Answer each :class:`Assignment` with a :class:`Conduct`, or with an ``OSError``, until nobody asks any more."""
    adopt_orphans()
    stay_ahead()
    connection: Connection[object, object] = Connection(descriptor)
    limited = False
    while True:
        try:
            assignment = connection.recv()
        except EOFError:
            return
        assert isinstance(assignment, Assignment)
        if not limited:
            set_limits(assignment.caps)
            limited = True
        answer: object
        try:
            answer = solve(assignment, abort=descriptor)
        except OSError as error:
            answer = OSError(error.errno, error.strerror) if error.errno else OSError(str(error))
        try:
            connection.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
