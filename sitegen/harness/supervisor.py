"""A process that runs one solver at a time: ``python -m sitegen.harness.supervisor FD``.

It is a process of its own so that everything a solver leaves behind becomes its child and can be found, and so that the
limits that solvers inherit do not bind the runner. It ends when the runner closes the connection, even by dying.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from sitegen.harness.assignment import Assignment
from sitegen.harness.cgroup import at_most
from sitegen.harness.descendants import adopt_orphans
from sitegen.harness.limits import set_limits
from sitegen.harness.solver import solved

_SPARE = 16
"""Processes over the limit that can exist, so that being over it shows: this one, and bubblewrap's."""


def main(descriptor: int) -> None:
    """Answer each :class:`Assignment` with a :class:`Conduct`, or with an ``OSError``, until nobody asks any more."""
    connection: Connection[object, object] = Connection(descriptor)
    assignment = _next(connection)
    if assignment is None:
        return
    adopt_orphans()
    set_limits(assignment.caps)
    with at_most(assignment.caps.processes + _SPARE):
        while assignment is not None:
            try:
                _answer(connection, assignment, descriptor)
            except (BrokenPipeError, ConnectionResetError):
                return
            except OSError:
                sys.exit(1)  # the runner tries to remove them too, and says why it cannot
            assignment = _next(connection)


def _next(connection: Connection[object, object]) -> Assignment | None:
    try:
        assignment = connection.recv()
    except (EOFError, ConnectionResetError):
        return None
    assert isinstance(assignment, Assignment)
    return assignment


def _answer(connection: Connection[object, object], assignment: Assignment, descriptor: int) -> None:
    """Answer; the task's folders go while its row is written.

    Raises:
        OSError: nobody waits for the answer any more, or the folders cannot be removed after it.
    """
    answered = False
    try:
        with solved(assignment, abort=descriptor) as conduct:
            connection.send(conduct)
            answered = True
    except (BrokenPipeError, ConnectionResetError):
        raise
    except OSError as error:
        if answered:
            raise
        connection.send(OSError(error.errno, error.strerror) if error.errno else OSError(str(error)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
