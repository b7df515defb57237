"""What has changed since people labelled: then their labels speak of something else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragsonde.calibration.labels import Label
from ragsonde.scorers.score import ScoredInteraction


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the scores of some records depend on."""

    scorer_versions: Mapping[str, tuple[str, ...]]
    """The versions of each scorer among the records."""
    models: tuple[str, ...]
    """The application's own models."""
    app_versions: tuple[str, ...]
    languages: tuple[str, ...]

    def single_versions(self) -> dict[str, str]:
        """The version of each scorer; of several the last one."""
        return {name: versions[-1] for name, versions in self.scorer_versions.items()}


def circumstances(scored: Iterable[ScoredInteraction]) -> Circumstances:
    """Take stock of the records."""
    versions: dict[str, set[str]] = {}
    models: set[str] = set()
    app_versions: set[str] = set()
    languages: set[str] = set()
    for known in scored:
        for name, version in known.scorer_versions.items():
            versions.setdefault(name, set()).add(version)
        interaction = known.interaction
        models |= {interaction.model} if interaction.model else set()
        app_versions |= {interaction.app_version} if interaction.app_version else set()
        languages |= {known.language} - {"und"}
    return Circumstances(
        {name: tuple(sorted(found)) for name, found in sorted(versions.items())},
        tuple(sorted(models)),
        tuple(sorted(app_versions)),
        tuple(sorted(languages)),
    )


def warnings(
    now: Circumstances,
    labels: Sequence[Label],
    scored: Mapping[str, ScoredInteraction],
    before: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Say what makes the labels or an earlier calibration doubtful.

    ``before`` holds what an earlier report noted under ``circumstances``, scorer versions as ``name=version``.
    """
    found = [
        f"the records were scored by several versions of {name} ({', '.join(versions)}): score them anew together"
        for name, versions in now.scorer_versions.items()
        if len(versions) > 1
    ]
    stale = sum(_stale(label, scored.get(label.id)) for label in labels)
    if stale:
        found.append(
            f"{stale} labels were given on records of other scorer versions: claims may have been cut otherwise"
        )
    if before is not None:
        for part, values in noted(now).items():
            new, gone = sorted(set(values) - set(before.get(part, ()))), sorted(set(before.get(part, ())) - set(values))
            if new or gone:
                parts = [f"new: {', '.join(new)}"] if new else []
                parts += [f"gone: {', '.join(gone)}"] if gone else []
                found.append(
                    f"{part.replace('_', ' ')} have changed since the earlier calibration ({'; '.join(parts)})"
                )
    return found


def noted(now: Circumstances) -> dict[str, list[str]]:
    """The circumstances as plain lists, for a report."""
    versions = [f"{name}={version}" for name, found in now.scorer_versions.items() for version in found]
    return {
        "scorer_versions": versions,
        "models": list(now.models),
        "app_versions": list(now.app_versions),
        "languages": list(now.languages),
    }


def _stale(label: Label, known: ScoredInteraction | None) -> bool:
    if label.scorer_versions is None or known is None:
        return False
    return dict(label.scorer_versions) != dict(known.scorer_versions)
