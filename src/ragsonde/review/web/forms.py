"""A review as a form of the page, and as JSON for its script."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.review.model import Review
from ragsonde.review.web.guard import RefusedError

VERDICTS: Mapping[LabelVerdict, tuple[str, str]] = {
    LabelVerdict.SUPPORTED: ("✓", "supported"),
    LabelVerdict.CONTRADICTED: ("✕", "contradicted"),
    LabelVerdict.NOT_FOUND: ("?", "not found"),
    LabelVerdict.UNSURE: ("~", "unsure"),
}
"""What can be said of a claim or of an answer: sign and name. The other words of labels mean one of these."""
_SAME: Mapping[LabelVerdict, LabelVerdict] = {
    LabelVerdict.GROUNDED: LabelVerdict.SUPPORTED,
    LabelVerdict.UNSUPPORTED: LabelVerdict.NOT_FOUND,
    LabelVerdict.HALLUCINATED: LabelVerdict.NOT_FOUND,
}
_CLAIM, _RUBRIC = "claim-", "rubric-"


def offered(verdict: LabelVerdict | None) -> LabelVerdict | None:
    """Return the verdict that the page offers in place of one with the same meaning."""
    return verdict if verdict is None else _SAME.get(verdict, verdict)


def review_of(form: Mapping[str, str], item_id: str, reviewer: str) -> Review:
    """Read a review.

    Raises:
        RefusedError: a field holds what it cannot hold.
    """
    claims = {
        _index(name): verdict
        for name, value in form.items()
        if name.startswith(_CLAIM) and (verdict := _verdict(name, value)) is not None
    }
    rubrics = {
        name.removeprefix(_RUBRIC): text
        for name, value in form.items()
        if name.startswith(_RUBRIC) and (text := _text(value)) is not None
    }
    version = form.get("version", "0")
    if not (version.isascii() and version.isdigit() and len(version) < 10):
        raise RefusedError(400, "field version: a whole number is expected; reload the page")
    return Review(
        item_id=item_id,
        reviewer=reviewer,
        verdict=_verdict("verdict", form.get("verdict", "")),
        claims=dict(sorted(claims.items())),
        rubrics=dict(sorted(rubrics.items())),
        corrected_answer=_text(form.get("corrected_answer", "")),
        answer_is_right=form.get("answer_is_right") == "1",
        unanswerable=form.get("unanswerable") == "1",
        key_facts=tuple(fact for line in form.get("key_facts", "").splitlines() if (fact := _text(line)) is not None),
        note=_text(form.get("note", "")),
        version=int(version),
    )


def same_content(one: Review | None, other: Review) -> bool:
    """Whether two reviews say the same; a review that is not there says nothing."""
    return _content(one or Review(other.item_id, other.reviewer)) == _content(other)


def says_nothing(review: Review) -> bool:
    """Whether nothing was filled in."""
    return same_content(None, replace(review, skipped=False))


def fields_of(review: Review | None) -> dict[str, Any]:
    """Return the values of the form's fields; those of an empty review where there is none."""
    known = review or Review("", "")
    fields: dict[str, Any] = {
        "version": str(known.version),
        "verdict": offered(known.verdict) or "",
        "corrected_answer": known.corrected_answer or "",
        "answer_is_right": known.answer_is_right,
        "unanswerable": known.unanswerable,
        "key_facts": "\n".join(known.key_facts),
        "note": known.note or "",
    }
    fields |= {f"{_CLAIM}{index}": offered(verdict) for index, verdict in known.claims.items()}
    fields |= {f"{_RUBRIC}{name}": label for name, label in known.rubrics.items()}
    return fields


def _content(review: Review) -> Review:
    plain = {index: offered(verdict) for index, verdict in review.claims.items()}
    return replace(
        review,
        verdict=offered(review.verdict),
        claims={index: verdict for index, verdict in plain.items() if verdict is not None},
        rubrics=dict(review.rubrics),
        version=0,
        updated_at=None,
    )


def _index(name: str) -> int:
    number = name.removeprefix(_CLAIM)
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        raise RefusedError(400, f"field {name[:40]}: there is no such claim")
    return int(number)


def _verdict(name: str, value: str) -> LabelVerdict | None:
    if not value:
        return None
    try:
        verdict = LabelVerdict(value)
    except ValueError as error:
        names = ", ".join(VERDICTS)
        raise RefusedError(400, f"field {name[:40]}: one of {names}, or nothing") from error
    return offered(verdict)


def _text(value: str) -> str | None:
    """Return what was written, with plain line ends and without NUL, which databases refuse; None for nothing."""
    return value.replace("\r\n", "\n").replace("\0", "").strip() or None
