"""Keys and tokens in what a build would publish of an exam or a run, found before it is sealed or counts for ever."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.read.files import SourceFile, Tree
from sitegen.read.settings import read_settings
from sitegen.refusals import Refusal
from sitegen.verify.secrets import find_secrets_in


def find_published_secrets(site: Tree, sources: Iterable[SourceFile]) -> list[Refusal]:
    """Return ``evidence-secret`` for what a build of ``site`` will not publish of these files, by its own settings.

    Raises:
        Refused: the settings cannot be used, or a large file changed.
    """
    settings, _ = read_settings(site)
    allowed = frozenset(settings.allow_secrets)
    found: list[Refusal] = []
    for source in sources:
        found += find_secrets_in(source.path, source.pieces(), allowed, settings.strict_privacy)[0]
    return found
