"""The findings as Markdown, for people, and as JSON, for comparing two states of a scorer."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from bench.accuracy.figures import ALL, Figures
from bench.accuracy.metrics import Estimate
from bench.accuracy.published import PublishedTable
from bench.accuracy.report import Findings
from bench.accuracy.sets import BY_NAME, Family, View

_ABOUT = """The positive class is the fault: an answer that the contexts do not support, a claim that its citations do
not support, contexts or an answer beside the question. Suspicion is 1 minus the scorer's value, or 1 minus the
probability of its worst claim. Brackets hold 95 % intervals from a bootstrap over sources.

AUROC, AP, ECE (ten bins of equal mass) and Brier score are those of the rows that a scorer scores; `scored` is their
share. F1, precision, recall and balanced accuracy are those of all rows: what is not scored is not flagged. F1 is at
the threshold with the best F1 on dev files, balanced accuracy at the one with the best balanced accuracy there; the
column `threshold` says on which, and never are they the rows reported."""


def to_markdown(findings: Findings, published: Sequence[PublishedTable]) -> str:
    """The whole report."""
    parts = ["# Accuracy on human labels", _ABOUT, _versions(findings), _macro(findings), _overview(findings)]
    parts += [_family(findings, family) for family in Family if family is not Family.PREFERENCE]
    parts += [
        _within(findings),
        _slices(findings, "language", "By language"),
        _slices(findings, "origin", "By origin"),
        _slices(findings, "generator", "By who wrote the answer"),
        _slices(findings, "strict", "Under the narrower label"),
        _spans(findings),
        _preferences(findings),
        _unscored(findings),
        _published(findings, published),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def to_json(findings: Findings) -> str:
    """The same as data; without the draws."""
    content = {
        "versions": findings.versions,
        "not_run": findings.not_run,
        "data_sha256": findings.digests,
        "macro": [asdict(one) for one in findings.macros],
        "figures": [_plain(one) for one in findings.figures],
        "spans": [asdict(one) for one in findings.spans],
        "preferences": [asdict(one) for one in findings.preferences],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(figures: Figures) -> dict[str, Any]:
    fields = asdict(figures)
    del fields["auroc_draws"]
    return fields


def _versions(findings: Findings) -> str:
    lines = [f"- {name}: version {version}" for name, version in findings.versions.items()]
    lines += [f"- {name}: not run, {reason}" for name, reason in findings.not_run.items()]
    return "\n".join(lines)


def _macro(findings: Findings) -> str:
    if not findings.macros:
        return ""
    rows = [
        [one.scorer, one.signal, _interval(one.auroc), len(one.sets), ", ".join(one.sets)] for one in findings.macros
    ]
    return "## Macro average of AUROC\n\nEach set weighs the same.\n\n" + _table(
        ["scorer", "read as", "AUROC", "sets", "which"], rows
    )


def _overview(findings: Findings) -> str:
    """One line a set and view, one column a scorer and reading; a baseline has one reading a family, so one column."""
    whole = [one for one in findings.figures if one.slice == ALL and "(shipped)" not in one.scorer]
    if not whole:
        return ""
    columns = list(dict.fromkeys(_column(one.scorer, one.signal) for one in whole))
    rows = []
    for dataset, family, view in dict.fromkeys((one.dataset, one.family, one.view) for one in whole):
        mine = {
            _column(one.scorer, one.signal): one
            for one in whole
            if (one.dataset, one.family, one.view) == (dataset, family, view)
        }
        some = next(iter(mine.values()))
        label = f"{dataset}{' by sentence' if view is View.SENTENCE else ''}"
        cells = [_number(mine[column].auroc.value) if column in mine else "" for column in columns]
        rows.append([label, family, some.rows, _number(some.faulty / some.rows, 2), *cells])
    head = ["set", "family", "rows", "faulty", *columns]
    return "## AUROC at a glance\n\n" + _table(head, rows)


def _column(scorer: str, signal: str) -> str:
    return f"{scorer}: {signal}" if scorer.startswith(("local_", "judge")) else scorer


def _family(findings: Findings, family: Family) -> str:
    kinds = (ALL[0], "task")
    mine = [one for one in findings.figures if one.family is family and one.slice[0] in kinds]
    if not mine:
        return ""
    blocks = []
    for dataset, view in dict.fromkeys((one.dataset, one.view) for one in mine):
        rows = [one for one in mine if (one.dataset, one.view) == (dataset, view)]
        heading = f"### {dataset}{', by sentence' if view is View.SENTENCE else ''}"
        note = BY_NAME[dataset].note
        blocks.append("\n\n".join(part for part in (heading, note and f"{note[0].upper()}{note[1:]}.") if part))
        blocks.append(_detailed(rows))
    return f"## {family.replace('_', ' ').capitalize()}\n\n" + "\n\n".join(blocks)


def _detailed(rows: Iterable[Figures]) -> str:
    head = ["rows of", "scorer", "read as", "n", "faulty", "scored", "AUROC", "AP", "F1", "precision", "recall"]
    head += ["bal. acc.", "ECE", "Brier", "ms", "threshold (F1)"]
    return _table(head, [_detail(one) for one in sorted(rows, key=lambda one: one.slice)])


def _detail(one: Figures) -> list[object]:
    flags = one.flagging
    return [
        one.slice[1] or "all",
        one.scorer,
        one.signal,
        one.rows,
        one.faulty,
        _number(one.scored / one.rows, 2),
        _interval(one.auroc),
        _number(one.average_precision.value),
        _interval(flags.f1),
        _number(flags.precision.value),
        _number(flags.recall.value),
        _interval(flags.balanced_accuracy),
        _number(one.calibration_error),
        _number(one.brier),
        _number(one.milliseconds, 1),
        f"{one.thresholds.f1:.3f}, {one.thresholds.chosen_on}",
    ]


def _within(findings: Findings) -> str:
    rows = [
        [one.dataset, one.scorer, one.signal, _interval(one.auroc), _interval(one.within)]
        for one in findings.figures
        if one.within is not None and one.slice == ALL and one.view is View.RESPONSE
    ]
    if not rows:
        return ""
    text = (
        "## Within task and generator\n\nAUROC over pairs of answers by one generator to one task. Who wrote an answer "
        "predicts its label by itself, so what remains here is what a scorer reads in the answer.\n\n"
    )
    return text + _table(["set", "scorer", "read as", "AUROC overall", "AUROC within"], rows)


def _slices(findings: Findings, kind: str, title: str) -> str:
    """One line for each value that rows share, one column for each scorer."""
    mine = [one for one in findings.figures if one.slice[0] == kind]
    if not mine:
        return ""
    blocks = [f"## {title}: AUROC"]
    for dataset, family, view in dict.fromkeys((one.dataset, one.family, one.view) for one in mine):
        here = [one for one in mine if (one.dataset, one.family, one.view) == (dataset, family, view)]
        columns = list(dict.fromkeys((one.scorer, one.signal) for one in here))
        rows = []
        for value in dict.fromkeys(one.slice[1] for one in here):
            found = {(one.scorer, one.signal): one for one in here if one.slice[1] == value}
            some = next(iter(found.values()))
            cells = [_number(found[column].auroc.value) if column in found else "" for column in columns]
            rows.append([value, some.rows, some.faulty, *cells])
        by = ", by sentence" if view is View.SENTENCE else ""
        head = [kind, "n", "faulty", *(_column(*column) for column in columns)]
        blocks.append(f"### {dataset}, {family.replace('_', ' ')}{by}\n\n" + _table(head, rows))
    return "\n\n".join(blocks)


def _spans(findings: Findings) -> str:
    if not findings.spans:
        return ""
    text = (
        "## Spans\n\nPrecision, recall and F1 by character over all answers together, as in RAGTruth (arXiv "
        "2401.00396) and LettuceDetect (arXiv 2502.17125).\n\n"
    )
    rows = [
        [
            one.dataset,
            one.slice[1] or "all",
            one.scorer,
            one.answers,
            _interval(one.scores.f1),
            _number(one.scores.precision.value),
            _number(one.scores.recall.value),
            one.predicted_from,
        ]
        for one in sorted(findings.spans, key=lambda one: (one.dataset, one.slice))
    ]
    return text + _table(["set", "rows of", "scorer", "answers", "F1", "precision", "recall", "predicted spans"], rows)


def _preferences(findings: Findings) -> str:
    if not findings.preferences:
        return ""
    rows = [
        [
            one.dataset,
            one.scorer,
            one.signal,
            one.pairs,
            _number(one.scored / one.pairs, 2),
            _interval(one.accuracy),
            _number(one.milliseconds, 1),
        ]
        for one in findings.preferences
    ]
    text = "## Preference\n\nHow often the better answer of a pair gets the higher score; equal scores count half.\n\n"
    return text + _table(["set", "scorer", "read as", "pairs", "scored", "accuracy", "ms"], rows)


def _unscored(findings: Findings) -> str:
    rows = [
        [
            one.dataset,
            one.family,
            one.scorer,
            one.signal,
            one.rows - one.scored,
            ", ".join(f"{name} {number}" for name, number in sorted(one.not_applicable.items())),
            ", ".join(f"{name} {number}" for name, number in sorted(one.failed.items())),
        ]
        for one in findings.figures
        if one.slice == ALL and one.scored < one.rows
    ]
    if not rows:
        return ""
    return "## Not scored\n\n" + _table(
        ["set", "family", "scorer", "read as", "rows", "not applicable", "failed"], rows
    )


def _published(findings: Findings, published: Sequence[PublishedTable]) -> str:
    measured = {one.dataset for one in findings.figures}
    rows = [
        [
            table.set,
            table.slice,
            table.level,
            system,
            *(_number(values.get(measure)) for measure in ("auroc", "f1", "precision", "recall", "balanced_accuracy")),
            _number(values.get("macro_f1")),
            table.source,
        ]
        for table in published
        if table.set in measured
        for system, values in table.systems().items()
    ]
    if not rows:
        return ""
    text = (
        "## What others published\n\nNot measured here: on whole test splits where ours is half of one, and the "
        "fine-tuned ones have seen the set's training rows.\n\n"
    )
    head = ["set", "rows of", "level", "system", "AUROC", "F1", "precision", "recall", "bal. acc.", "macro F1"]
    return text + _table([*head, "source"], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _interval(value: Estimate | None) -> str:
    if value is None or value.value is None:
        return ""
    if value.low is None or value.high is None:
        return f"{value.value:.3f}"
    return f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]"
