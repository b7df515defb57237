"""Works out the right reply to a prompt: from known claims, else by plain containment of folded text.

It reads a prompt as a judge would: only what stands between fences that carry the prompt's check word is data.
"""

import re
import unicodedata
import zlib
from dataclasses import dataclass
from typing import Any

from ragsonde.testing.judge_script import KnownClaim, Script

_CHECK = re.compile(r"^Check word: (\S+)\s*\Z", re.MULTILINE)
_TASK = re.compile(r"^Task: ([a-z0-9_]+), version (\S+)\.\s*\Z", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？؟।\n]+(?:[.!?](?!\s|\Z)[^.!?。！？؟।\n]*)*[.!?。！？؟।]*(?:\s*\[[^\]\n]{1,20}\])*")
_MARKER = re.compile(r"\[([0-9]{1,3}(?:\s*[,;]\s*[0-9]{1,3})*|[A-Za-z][\w-]*\d[\w-]*)\]")
_VECTOR_SIZE = 64


@dataclass(frozen=True, slots=True)
class SeenPrompt:
    """A prompt, read."""

    task: str
    check: str
    blocks: dict[str, str]
    """Fenced text by name; documents as ``document 1``."""

    def lines(self, name: str) -> list[tuple[str, str]]:
        """Tag and text of each line of a block of numbered lines."""
        pairs = (line.partition("| ") for line in self.blocks.get(name, "").split("\n"))
        return [(tag, text) for tag, mark, text in pairs if mark and tag != "id"]

    def documents(self) -> dict[int, list[tuple[str, str]]]:
        """The lines of each document, by number."""
        names = [name for name in self.blocks if name.startswith("document ")]
        return {int(name.split()[1]): self.lines(name) for name in names}


def read_prompt(system: str, user: str) -> SeenPrompt:
    """The prompt's task, check word and fenced blocks."""
    check = _CHECK.search(user)
    task = _TASK.search(system)
    word = check.group(1) if check else ""
    fences = re.finditer(
        rf"\[\[([a-z_]+(?: \d+)?) {re.escape(word)}\]\]\n(.*?)\n\[\[/\1 {re.escape(word)}\]\]", user, re.DOTALL
    )
    return SeenPrompt(task.group(1) if task else "", word, {match[1]: match[2] for match in fences} if word else {})


def right_reply(prompt: SeenPrompt, script: Script, user: str) -> dict[str, Any]:
    """The reply that a careful judge would give, with the script's overrides."""
    reply: dict[str, Any] = {"check": prompt.check, **_WORKED_OUT.get(prompt.task, _label)(prompt, script)}
    for override in script.overrides:
        if override.task == prompt.task and override.contains in user:
            reply.update(override.reply)
    return reply


def embed(text: str) -> list[float]:
    """A vector of hashed words: the same words give cosine 1, no common word gives 0 (but for collisions)."""
    vector = [0.0] * _VECTOR_SIZE
    for word in fold(text).split():
        vector[zlib.crc32(word.encode()) % _VECTOR_SIZE] += 1.0
    return vector if any(vector) else [1.0, *vector[1:]]


def fold(text: str) -> str:
    """Letters and digits only, without case, words separated by one space."""
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", text).casefold())
    return " ".join(kept.split())


def _merged(prompt: SeenPrompt, script: Script) -> dict[str, Any]:
    claims = [{**claim, **_judge(claim, prompt, script)} for claim in _claims(prompt.blocks.get("answer", ""), script)]
    documents = _relevance(prompt)
    return {
        "factual": bool(claims),
        "claims": claims,
        "documents": documents,
        "needed": _needed(prompt, [claim["claim"] for claim in claims]),
        "answers_question": "fully" if claims else "no",
        "abstains": "no",
        "contexts_answer": any(document["relevant"] for document in documents),
    }


def _window(prompt: SeenPrompt, script: Script) -> dict[str, Any]:
    claims = [text for _, text in prompt.lines("claims")]
    documents = _relevance(prompt)
    return {
        **_verification(prompt, script),
        "documents": documents,
        "needed": _needed(prompt, claims),
        "contexts_answer": any(document["relevant"] for document in documents),
    }


def _extraction(prompt: SeenPrompt, script: Script) -> dict[str, Any]:
    claims = _claims(prompt.blocks.get("answer", ""), script)
    return {"factual": bool(claims), "claims": claims}


def _verification(prompt: SeenPrompt, script: Script) -> dict[str, Any]:
    claims = [(number, {"claim": text, "said": text}) for number, text in prompt.lines("claims")]
    return {"claims": [{"claim": int(number), **_judge(claim, prompt, script)} for number, claim in claims]}


def _questions(prompt: SeenPrompt, _script: Script) -> dict[str, Any]:
    answer = prompt.blocks.get("answer", "")
    return {"questions": [f"{answer}?"] * 3, "noncommittal": False}


def _correctness(prompt: SeenPrompt, _script: Script) -> dict[str, Any]:
    answer, reference = prompt.blocks.get("answer", ""), prompt.blocks.get("reference", "")
    ours, theirs = _sentences(answer), _sentences(reference)
    return {
        "true_positives": [s for s in ours if fold(s) in fold(reference)],
        "false_positives": [s for s in ours if fold(s) not in fold(reference)],
        "false_negatives": [s for s in theirs if fold(s) not in fold(answer)],
    }


def _attribution(prompt: SeenPrompt, _script: Script) -> dict[str, Any]:
    texts = [fold(" ".join(text for _, text in lines)) for lines in prompt.documents().values()]
    return {
        "sentences": [
            {"sentence": int(number), "attributable": any(fold(sentence) in text for text in texts)}
            for number, sentence in prompt.lines("sentences")
        ]
    }


def _label(_prompt: SeenPrompt, _script: Script) -> dict[str, Any]:
    return {"label": "", "explanation": ""}


def _claims(answer: str, script: Script) -> list[dict[str, Any]]:
    """Known claims found in the answer, and its remaining sentences, in order."""
    known = [(answer.find(claim.said), claim) for claim in script.known]
    found: list[tuple[int, dict[str, Any]]] = [
        (at, {"claim": claim.claim or claim.said, "said": claim.said, "cited": list(claim.cited)})
        for at, claim in known
        if at >= 0
    ]
    for match in _SENTENCE.finditer(answer):
        said = match.group().strip()
        covered = any(at >= 0 and at < match.end() and at + len(claim.said) > match.start() for at, claim in known)
        if fold(_MARKER.sub("", said)) and not covered:
            cited = [name.strip() for marker in _MARKER.findall(said) for name in re.split("[,;]", marker)]
            found.append((match.start(), {"claim": _MARKER.sub("", said).strip(), "said": said, "cited": cited}))
    return [claim for _, claim in sorted(found, key=lambda pair: pair[0])]


def _judge(claim: dict[str, Any], prompt: SeenPrompt, script: Script) -> dict[str, Any]:
    known = next((k for k in script.known if fold(k.claim or k.said) == fold(claim["claim"])), None)
    if known is not None:
        return _known_verdict(known, prompt)
    evidence = _holding(claim["claim"], prompt)
    verdict = "supported" if evidence else "not_found"
    return {"verdict": verdict, "evidence": evidence, "reason": "" if evidence else "no document states it"}


def _known_verdict(known: KnownClaim, prompt: SeenPrompt) -> dict[str, Any]:
    evidence = [{"document": item["document"], "quote": known.quote} for item in _holding(known.quote, prompt)]
    if known.document is not None:
        evidence = [item for item in evidence if item["document"] == known.document] or evidence[:1]
        evidence = [{**item, "document": known.document} for item in evidence]
    if known.force and not evidence:
        evidence = [{"document": known.document or 1, "quote": known.quote}]
    verdict = known.verdict if evidence or known.force else "not_found"
    return {"verdict": verdict, "evidence": [] if verdict == "not_found" else evidence, "reason": ""}


def _holding(text: str, prompt: SeenPrompt) -> list[dict[str, Any]]:
    """The documents that hold ``text``, each with the passage that does."""
    wanted, evidence = fold(text), []
    for number, lines in prompt.documents().items() if wanted else ():
        line = next((line for _, line in lines if wanted in fold(line)), None)
        if line is not None:
            evidence.append({"document": number, "quote": line})
        elif wanted in fold(" ".join(line for _, line in lines)):
            evidence.append({"document": number, "quote": text})
    return evidence


def _relevance(prompt: SeenPrompt) -> list[dict[str, Any]]:
    """A document is relevant if it shares a word of four letters or more with the question."""
    wanted = _long_words(prompt.blocks.get("question", ""))
    return [
        {"document": number, "relevant": bool(wanted & _long_words(" ".join(text for _, text in lines)))}
        for number, lines in prompt.documents().items()
    ]


def _needed(prompt: SeenPrompt, claims: list[str]) -> list[str]:
    """Lines that hold a claim; without claims, those that share a long word with the question."""
    wanted = _long_words(prompt.blocks.get("question", ""))
    lines = [line for lines in prompt.documents().values() for line in lines]
    if claims:
        return [tag for tag, text in lines if any(fold(claim) in fold(text) for claim in claims if fold(claim))]
    return [tag for tag, text in lines if wanted & _long_words(text)]


def _long_words(text: str) -> set[str]:
    return {word for word in fold(text).split() if len(word) > 3}


def _sentences(text: str) -> list[str]:
    return [match.group().strip() for match in _SENTENCE.finditer(text) if fold(match.group())]


_WORKED_OUT = {
    "merged": _merged,
    "window": _window,
    "extract_claims": _extraction,
    "verify_claims": _verification,
    "regenerate_questions": _questions,
    "document_relevance": lambda prompt, _script: {"documents": _relevance(prompt)},
    "needed_sentences": lambda prompt, _script: {"needed": _needed(prompt, [])},
    "context_recall": _attribution,
    "answer_correctness": _correctness,
}
