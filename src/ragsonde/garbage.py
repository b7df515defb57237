"""How often a process that scores looks for garbage in cycles: scoring makes many small objects and hardly a cycle."""

import gc

_YOUNG, _OLDER, _OLDEST = 10_000, 20, 20
"""Objects, and collections of the generation below, from which a generation is looked through."""


def collect_less_often() -> None:
    """Let Python look for cycles less often than by default, which takes nearly a tenth of the local scorers' time."""
    gc.set_threshold(_YOUNG, _OLDER, _OLDEST)
