"""Small labelled sets, made up for the tests, in the form of the real ones."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

WINDOW = "The shop takes returns within 30 days. Refunds are paid by card. The store in Lyon opens at nine."
GOOD = "The shop takes returns within 30 days."
BAD = "The shop takes returns within 90 days and pays in gold."


def row(identity: str, *, faulty: bool, **values: Any) -> dict[str, Any]:
    """A faithfulness row; a faulty answer ends in a sentence that the context does not hold."""
    answer = f"Refunds are paid by card. {BAD if faulty else GOOD}"
    start = answer.index(BAD) if faulty else 0
    fields: dict[str, Any] = {
        "id": identity,
        "dataset": "ragtruth",
        "task": "faithfulness/qa",
        "language": "en",
        "split": "test",
        "model": "writer-of-bad-answers" if faulty else "writer-of-good-answers",
        "question": "How long can I return an item?",
        "contexts": [WINDOW],
        "answer": answer,
        "hallucinated": faulty,
        "spans": [{"start": start, "end": len(answer), "text": BAD, "type": "Evident Conflict"}] if faulty else [],
        "label_raw": None,
        "group": identity.split("-", maxsplit=1)[0],
    }
    return fields | values


def claim_row(identity: str, *, faulty: bool, **values: Any) -> dict[str, Any]:
    """A citation row."""
    fields = row(identity, faulty=faulty) | {"task": "citation", "spans": None, "question": None}
    fields |= {"answer": f"{BAD if faulty else GOOD} [7]", "citation_supported": not faulty}
    return fields | values


def relevance_rows(identity: str) -> list[dict[str, Any]]:
    """Both labels of both relevance tasks for one question; the files give an answer in relevant rows only."""
    base = row(identity, faulty=False) | {"hallucinated": None, "spans": None, "model": None}
    off_topic = "The river Loire rises in the Ardèche."
    context, answer = base | {"task": "context_relevance"}, base | {"task": "answer_relevance"}
    return [
        context | {"id": f"{identity}-c1", "context_relevant": True},
        context | {"id": f"{identity}-c0", "context_relevant": False, "contexts": [off_topic], "answer": ""},
        answer | {"id": f"{identity}-a1", "answer_relevant": True},
        answer | {"id": f"{identity}-a0", "answer_relevant": False, "answer": off_topic},
    ]


def pair_row(identity: str, preference: int) -> dict[str, Any]:
    """Two answers, the second of which repeats the question's words."""
    return row(identity, faulty=False) | {
        "task": "preference",
        "contexts": [],
        "answer": None,
        "answer_a": "No idea about that.",
        "answer_b": "You can return an item for how long the shop says: 30 days.",
        "gt_answer": "30 days.",
        "label_raw": [{"overall": preference, "correctness": 0, "completeness": 0}],
    }


def write_set(folder: Path, name: str, file: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one file of one set."""
    path = folder / name / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in rows), encoding="utf-8")


def write_tiny_sets(folder: Path) -> None:
    """One set of each kind, with dev files where the real ones have them."""
    rows = [row(f"{source}-{kind}", faulty=kind == "bad") for source in range(6) for kind in ("good", "bad")]
    claims = [claim_row(f"{n}-{kind}", faulty=kind == "bad") for n in range(4) for kind in ("good", "bad")]
    for file in ("dev.jsonl", "test_shared.jsonl"):
        write_set(folder, "ragtruth", file, rows)
        write_set(folder, "wice", file, claims)
    detectors = {"published_detector_scores": {"oracle": 0.9, "sure": {"label": 0, "probs": 80.0}}}
    write_set(folder, "qags", "test_shared.jsonl", [one | detectors for one in rows])
    write_set(folder, "mfava", "test_shared.jsonl", [one | {"question": None} for one in rows])
    write_set(folder, "clapnq", "test_shared.jsonl", [one for n in range(4) for one in relevance_rows(str(n))])
    write_set(folder, "ragchecker_pref", "test_shared.jsonl", [pair_row(str(n), n - 1) for n in range(4)])
