"""Spoils a right reply in the ways real judges do."""

import json
import re
from typing import Any

from ragsonde.testing.judge_script import Fault

_OBJECT = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")


def spoil(reply: dict[str, Any], fault: Fault | None, user: str) -> str:
    """The reply as text, with ``fault`` in it. ``user`` is the prompt, which some judges repeat from."""
    text = json.dumps(reply, ensure_ascii=False)
    opposite = json.dumps(_opposite(reply), ensure_ascii=False)
    noted = json.dumps({"note": "a line\n\tbreak", **reply}, ensure_ascii=False)
    spoilt = {
        Fault.LENGTH: text[: max(1, len(text) * 2 // 3)],
        Fault.CUT: text[: max(1, len(text) * 2 // 3)],
        Fault.EMPTY: "",
        Fault.FENCED: f"Here is the verdict:\n```json\n{json.dumps(reply, indent=2)}\n```\nSee if {{this}} helps.",
        Fault.REASONING: f"<think>\nFirst thought: {opposite}\nNo, wrong.\n</think>\n{text}",
        Fault.THOUGHT: f"thought\n{text}",
        Fault.TWO_OBJECTS: f"{opposite}\nOn reflection:\n{text}",
        Fault.ECHO: "\n".join([text, "The text also holds:", *_OBJECT.findall(user)]),
        Fault.CONTROL_CHARACTERS: noted.replace("\\n", "\n").replace("\\t", "\t"),
        Fault.TRAILING_COMMA: f"{text[:-1]},}}",
        Fault.ENCODED: json.dumps(text),
    }
    if fault in spoilt:
        return spoilt[fault]
    return json.dumps(_misshapen(reply, fault), ensure_ascii=False)


def _misshapen(reply: dict[str, Any], fault: Fault | None) -> Any:
    lists = [name for name in ("claims", "documents", "sentences", "questions") if reply.get(name)]
    match fault:
        case Fault.TOP_LEVEL_ARRAY:
            return reply[lists[0]] if lists else [reply]
        case Fault.WRONG_SHAPE:
            return {"score": 1.0, "verdict": "pass"}
        case Fault.WRONG_COUNT:
            return {**reply, **{name: reply[name][:-1] for name in lists if name != "claims" or len(lists) == 1}}
        case Fault.UNKNOWN_LABEL:
            claims = [_mislabelled(item) for item in reply.get("claims", [])]
            return {**reply, "answers_question": "perhaps", "label": "perhaps", "claims": claims}
        case Fault.NO_CHECK:
            return {name: value for name, value in reply.items() if name != "check"}
        case _:
            return reply


def _mislabelled(item: Any) -> Any:
    return {**item, "verdict": "plausible"} if isinstance(item, dict) and "verdict" in item else item


def _opposite(reply: dict[str, Any]) -> dict[str, Any]:
    """A well-formed reply with other verdicts."""
    swap = {"supported": "not_found", "not_found": "supported", "contradicted": "supported"}
    claims = [
        {**claim, "verdict": swap[claim["verdict"]]} if isinstance(claim, dict) and "verdict" in claim else claim
        for claim in reply.get("claims", [])
    ]
    documents = [{**item, "relevant": not item["relevant"]} for item in reply.get("documents", [])]
    return {**reply, **({"claims": claims} if claims else {}), **({"documents": documents} if documents else {})}
