"""A Dask cluster (extra ``sitegen[dask]``): how it is reached, how work is sent to it, and work on many items there.

What is sent is one block of bytes with its digest and the version that made it, and is looked at on arrival. Workers
need sitegen in the same version.
"""

from __future__ import annotations

import pickle
import secrets
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import urlsplit

import sitegen
from sitegen.digests import Digest, sha256
from sitegen.refusals import Misuse

SCHEME = "dask://"
_CONNECT_SEC = 30
_AHEAD = 2
"""Items that are out for each thread of the cluster, so that none waits for the next to be sent."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One pickled value with its digest, and the version that made it."""

    data: bytes = field(repr=False)
    sha256: Digest
    version: str = sitegen.__version__


def sent(value: object) -> Sent:
    """Return ``value`` ready to be sent."""
    data = pickle.dumps(value)
    return Sent(data=data, sha256=sha256(data))


def received(parcel: Sent) -> Any:
    """Return the value that was sent. This runs on a worker.

    Raises:
        OSError: what arrived is not what was sent, or another version sent it.
    """
    if parcel.version != sitegen.__version__:
        raise OSError(f"this worker has sitegen {sitegen.__version__}, the runner has {parcel.version}")
    if sha256(parcel.data) != parcel.sha256:
        raise OSError("a task or its solver arrived with another digest than it was sent with")
    return pickle.loads(parcel.data)


def check_address(address: str) -> None:
    """Check that ``address`` can be a cluster's, before anything is recorded.

    Raises:
        Misuse: it is not of the form ``dask://HOST:PORT``, or the extra is not installed.
    """
    if not _is_address(address):
        raise Misuse(f"an executor's address is of the form {SCHEME}HOST:PORT")
    distributed()


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return address.startswith(SCHEME) and bool(parts.hostname) and bool(parts.port)
    except ValueError:  # brackets that do not close, or a port that is no number
        return False


def connect(address: str) -> tuple[Any, int]:
    """Return a client of the cluster at ``address``, and how many threads its workers have.

    Raises:
        Misuse: as :func:`check_address`.
        OSError: there is no cluster, or it has no workers.
    """
    check_address(address)
    place = f"tcp://{address.removeprefix(SCHEME)}"
    client = distributed().Client(place, timeout=_CONNECT_SEC, set_as_default=False)
    threads = sum(client.nthreads().values())
    if not threads:
        client.close()
        raise OSError(f"the cluster at {place} has no workers")
    return client, threads


def result_of(future: Any) -> Any:
    """Return what was made of one item.

    Raises:
        OSError: the cluster is lost, or workers keep dying over it; and whatever the work raised.
    """
    try:
        return future.result()
    except distributed().KilledWorker as error:
        raise OSError(f"workers keep dying over one task: {error}") from None
    except CancelledError:
        raise OSError("the cluster is lost") from None


def spread(
    address: str, function: Callable[..., Result], items: Iterable[object], *common: object
) -> Generator[Result, None, None]:
    """Yield ``function(item, *common)`` of each item in order, worked on by the cluster at ``address``.

    ``function`` stands in a module of sitegen, where workers find it. Only a few items are taken ahead of the results;
    what is ``common`` to all is sent once.

    Raises:
        Misuse, OSError: as :func:`connect` and :func:`result_of`.
    """
    client, threads = connect(address)
    prefix = f"sitegen-{secrets.token_hex(8)}"
    out: deque[Any] = deque()
    # Submitted, not scattered: it is made again where the worker that holds it dies.
    shared = [client.submit(received, sent(value), key=f"{prefix}-common-{i}") for i, value in enumerate(common)]
    try:
        for number, item in enumerate(items):
            out.append(client.submit(_work, function, sent(item), *shared, key=f"{prefix}-{number}", retries=0))
            if len(out) == _AHEAD * threads:
                yield result_of(out.popleft())
        while out:
            yield result_of(out.popleft())
    finally:
        client.cancel([*out, *shared])
        client.close()


def distributed() -> Any:
    """Return Dask's library; untyped, since not every environment that checks types has the extra.

    Raises:
        Misuse: it is not installed.
    """
    try:
        return import_module("distributed")
    except ImportError:
        raise Misuse("--executor needs the extra: pip install 'sitegen[dask]'") from None


def _work(function: Callable[..., Any], parcel: Sent, *common: Any) -> Any:
    return function(received(parcel), *common)
