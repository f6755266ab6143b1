"""Put a finished site in the place of the published one, so that a reader finds one of the two and never a part.

Where the system exchanges two folders in one step, the output is a folder. Elsewhere it is a symbolic link to a folder
beside it, and the link is replaced in one step; only a folder that was published on another system is once moved away
first, and :func:`remove_stale` brings it back should the build be killed in between.

What stands beside an output ``NAME`` begins with ``.NAME.``; call these functions only while the lock is held.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from sitegen.refusals import Refusal, Refused
from sitegen.write.exchange import exchange
from sitegen.write.folders import remove

_STAGING, _SITE, _LINK, _BEFORE, _PROBE = "staging-", "site-", "link", "before", "staging-probe-"


def beside(output: Path, word: str) -> Path:
    """Return the path of something of ours that stands beside ``output``."""
    return output.with_name(f".{output.name}.{word}")


def staging_folder(output: Path) -> Path:
    """Return the folder that this process writes the next site into."""
    return beside(output, f"{_STAGING}{os.getpid()}")


def true_output(output: Path) -> Path:
    """Return where a site is really published: the end of a link of the owner's, but a link of ours itself.

    Raises:
        Refused: ``output-not-writable`` for a link that leads to itself.
    """
    absolute = output.absolute()
    if absolute.is_symlink() and not _is_our_link(absolute):
        return resolved(absolute)
    return absolute


def resolved(path: Path) -> Path:
    """Return ``path`` without a link in it, whether something stands there or not.

    Raises:
        Refused: ``output-not-writable`` for a link that leads to itself.
    """
    try:
        place = path.resolve()
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            place.stat()  # from Python 3.13 on only this says that a link leads to itself
    except (OSError, RuntimeError) as error:
        found = getattr(error, "strerror", None) or "a link that leads to itself"
        raise Refused([Refusal(slug="output-not-writable", file=str(path), found=found)]) from None
    return place


def put_in_place(staging: Path, output: Path) -> None:
    """Publish ``staging`` as ``output``. The site before, if any, is left for :func:`remove_stale`.

    Raises:
        OSError: it could not be done; the site before is where it was.
    """
    if output.is_symlink():
        _link(staging, output)
    elif output.exists():
        if not exchange(staging, output):
            _replace_folder(staging, output)
    elif _can_exchange(output):
        staging.rename(output)
    else:
        _link(staging, output)


def remove_stale(output: Path) -> None:
    """Remove whatever a build left beside ``output``, as far as that is possible; the published site stays."""
    before = beside(output, _BEFORE)
    if not os.path.lexists(output) and before.exists():
        before.rename(output)
    for place in stale(output):
        remove(str(place))


def stale(output: Path) -> list[Path]:
    """Return what a build left beside ``output``: what was being written, and the site before."""
    current = os.readlink(output) if output.is_symlink() else None
    prefix = beside(output, "").name
    found = []
    for name in os.listdir(output.parent):
        word = name.removeprefix(prefix)
        if word == name or name == current:
            continue
        if word.startswith((_STAGING, _SITE)) or word in (_BEFORE, _LINK):
            found.append(output.with_name(name))
    return found


def _is_our_link(output: Path) -> bool:
    return os.readlink(output).startswith(beside(output, _SITE).name)


def _link(staging: Path, output: Path) -> None:
    numbers = (number for number in range(1, 1 << 30))
    site = next(place for n in numbers if not os.path.lexists(place := beside(output, f"{_SITE}{n}")))
    staging.rename(site)
    link = beside(output, _LINK)
    link.symlink_to(site.name)
    link.replace(output)


def _replace_folder(staging: Path, output: Path) -> None:
    before = beside(output, _BEFORE)
    output.rename(before)
    try:
        _link(staging, output)
    except BaseException:  # an interrupt too may not leave the output empty
        if not os.path.lexists(output):
            before.rename(output)
        raise


def _can_exchange(output: Path) -> bool:
    """Tell whether folders beside ``output`` can be exchanged, by exchanging two empty ones."""
    first, second = (beside(output, f"{_PROBE}{number}") for number in (1, 2))
    try:
        first.mkdir()
        second.mkdir()
        return exchange(first, second)
    finally:
        for place in (first, second):
            remove(str(place))
