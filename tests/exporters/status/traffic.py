"""Made-up traffic of two applications in several languages, with a spike of hallucinations, for pages to show."""

import random
from dataclasses import dataclass, replace

from ragsonde.collector.model import Document, Interaction, SamplingDecision
from ragsonde.scorers.score import (
    Citation,
    Claim,
    Diagnosis,
    DiagnosisLabel,
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)


@dataclass(frozen=True)
class Story:
    """A question with its passages, a true sentence and a false one about them."""

    language: str
    question: str
    passages: tuple[str, ...]
    true: str
    quote: str
    false: str
    opposite: str
    """What the passages say against the false sentence."""
    because: str


STORIES = (
    Story(
        "en",
        "How long can I return a jacket I bought in the outlet?",
        (
            (
                "Outlet items may be returned within 14 days of delivery, unworn and with their tags. "
                "Refunds go to the original means of payment."
            ),
            "Items from the main range may be returned within 30 days.",
            "Gift cards cannot be returned or exchanged for cash.",
        ),
        "You can return outlet items within 14 days of delivery, unworn and with their tags [1].",
        "Outlet items may be returned within 14 days of delivery, unworn and with their tags.",
        "Return shipping from the outlet is free of charge worldwide [4].",
        "",
        "no passage speaks of return shipping",
    ),
    Story(
        "de",
        "Wie hoch ist die Selbstbeteiligung bei Glasschäden?",
        (
            (
                "Bei Glasschäden beträgt die Selbstbeteiligung 150 €. "
                "Wird die Scheibe repariert statt ersetzt, entfällt sie."
            ),
            "Die Meldung eines Schadens muss innerhalb von 7 Tagen erfolgen.",
        ),
        "Wird die Scheibe repariert statt ersetzt, entfällt die Selbstbeteiligung [1].",
        "Wird die Scheibe repariert statt ersetzt, entfällt sie.",
        "Sonst beträgt sie bei Glasschäden 300 € [1].",
        "Bei Glasschäden beträgt die Selbstbeteiligung 150 €.",
        "die Quelle nennt 150 €, die Antwort 300 €",
    ),
    Story(
        "pl",
        "Czy mogę zmienić termin wizyty przez telefon?",
        (
            (
                "Termin wizyty można zmienić telefonicznie najpóźniej 24 godziny przed wizytą, "
                "w dni robocze od 8:00 do 16:00."
            ),
            "Odwołanie wizyty w dniu badania jest płatne: 50 zł.",
        ),
        "Tak, termin zmienisz telefonicznie najpóźniej 24 godziny przed wizytą [1].",
        "Termin wizyty można zmienić telefonicznie najpóźniej 24 godziny przed wizytą",
        "Infolinia działa całą dobę, także w święta [1].",
        "w dni robocze od 8:00 do 16:00",
        "źródło podaje dni robocze od 8:00 do 16:00",
    ),
    Story(
        "zh",
        "会员积分什么时候过期？",
        ("会员积分自获得之日起24个月内有效，逾期自动清零。", "金卡会员每年可延长一次有效期，延长6个月。"),
        "会员积分自获得之日起24个月内有效[1]。",
        "会员积分自获得之日起24个月内有效",
        "银卡会员也可以申请延长12个月[2]。",
        "金卡会员每年可延长一次有效期，延长6个月",
        "来源只提到金卡会员和6个月",
    ),
    Story(
        "ar",
        "هل يمكنني إلغاء الاشتراك السنوي؟",
        ("يمكن إلغاء الاشتراك السنوي خلال 14 يومًا من تاريخ الشراء مع استرداد كامل المبلغ.",),
        "نعم، يمكن إلغاء الاشتراك السنوي خلال 14 يومًا مع استرداد كامل المبلغ [1].",
        "يمكن إلغاء الاشتراك السنوي خلال 14 يومًا من تاريخ الشراء مع استرداد كامل المبلغ",
        "وبعد ذلك يُسترد نصف المبلغ [1].",
        "",
        "لا يذكر أي مصدر ما بعد 14 يومًا",
    ),
)


def _claims(story: Story, *, hallucinated: bool) -> tuple[str, tuple[Claim, ...]]:
    answer = f"{story.true} {story.false}" if hallucinated else story.true
    true = Claim(story.true, 0, len(story.true), Verdict.SUPPORTED, 0.97, story.quote, ("doc-1",))
    if not hallucinated:
        return answer, (true,)
    verdict = Verdict.CONTRADICTED if story.opposite else Verdict.NOT_FOUND
    contexts = ("doc-2",) if story.language == "zh" else ("doc-1",)
    false = Claim(
        story.false,
        len(story.true) + 1,
        len(answer),
        verdict,
        0.06,
        story.opposite or None,
        contexts if story.opposite else (),
        story.because,
    )
    return answer, (true, false)


def _citations(answer: str, passages: int) -> tuple[Citation, ...]:
    found = []
    for number in range(1, 10):
        marker, start = f"[{number}]", 0
        while (start := answer.find(marker, start)) >= 0:
            known = number <= passages
            supported = (start < len(answer) / 2 or answer.count("[") == 1) if known else None
            found.append(Citation(marker, start, start + 3, str(number), f"doc-{number}" if known else None, supported))
            start += 3
    return tuple(found)


def interaction_at(time: float, number: int, chance: random.Random, *, hallucination_rate: float) -> ScoredInteraction:
    """One scored interaction."""
    story = STORIES[chance.choices(range(len(STORIES)), (5, 4, 3, 3, 1))[0]]
    app = "shop-assistant" if story.language in {"en", "zh", "ar"} else "policy-desk"
    hallucinated = chance.random() < hallucination_rate
    refusal = not hallucinated and chance.random() < 0.06
    failed = not refusal and chance.random() < 0.04
    answer, claims = _claims(story, hallucinated=hallucinated)
    if refusal:
        answer, claims = (
            {"en": "I could not find anything about that.", "de": "Dazu habe ich leider nichts gefunden."}.get(
                story.language, "—"
            ),
            (),
        )
    scores: dict[MetricKey, Outcome] = {
        MetricKey.FAITHFULNESS: NotApplicable(Reason.REFUSAL)
        if refusal
        else Failed(FailureKind.TIMEOUT)
        if failed
        else Scored(sum(claim.verdict is Verdict.SUPPORTED for claim in claims) / len(claims), claims=claims),
        MetricKey.ANSWER_RELEVANCE: NotApplicable(Reason.REFUSAL)
        if refusal
        else Scored(min(1.0, max(0.0, chance.gauss(0.88, 0.06)))),
        MetricKey.CONTEXT_RELEVANCE: Scored(min(1.0, max(0.0, chance.gauss(0.5, 0.2)))),
        MetricKey.CONTEXT_UTILISATION: Scored(chance.choice([0.33, 0.5, 0.5, 1.0])),
        MetricKey.CITATION_ACCURACY: NotApplicable(Reason.NO_CITATIONS)
        if refusal
        else Scored(0.5 if hallucinated else 1.0, citations=_citations(answer, len(story.passages))),
        MetricKey.ANSWER_CORRECTNESS: NotApplicable(Reason.NO_REFERENCE),
    }
    if chance.random() < 0.15:
        scores[MetricKey.CONTEXT_PRECISION] = NotApplicable(Reason.OVER_BUDGET)
    else:
        scores[MetricKey.CONTEXT_PRECISION] = Scored(chance.choice([0.5, 0.83, 1.0]))
    if refusal:
        label, because = DiagnosisLabel.RETRIEVAL_MISS, "refusal_correctness 1.00: the passages do not hold the answer"
    elif failed:
        label, because = DiagnosisLabel.UNKNOWN, "faithfulness failed: timeout"
    elif hallucinated:
        label, because = DiagnosisLabel.GENERATION_UNFAITHFUL, "faithfulness 0.50 lies below 0.80"
    elif chance.random() < 0.08:
        label, because = DiagnosisLabel.RETRIEVAL_NOISE, "context_relevance 0.12 lies below 0.20"
    else:
        label, because = DiagnosisLabel.OK, "every metric lies above its threshold"
    contexts = tuple(
        Document(text, rank, f"doc-{rank}", 0.9 - rank / 10) for rank, text in enumerate(story.passages, 1)
    )
    return ScoredInteraction(
        interaction=Interaction(
            id=f"{number:032x}",
            trace_id=f"{number:032x}",
            question=story.question,
            answer=answer,
            contexts=contexts,
            app=app,
            environment="production",
            model=chance.choice(["gpt-4o-mini", "llama-3.1-8b"]),
            convention="openinference",
            end_ns=int(time * 1e9),
        ),
        decision=SamplingDecision(kept=True, probability=chance.choice([1.0, 0.25])),
        scores=scores,
        diagnosis=Diagnosis(label, because),
        answered=not refusal,
        refusal=refusal,
        language=story.language,
        scored_at=time,
        scorer_versions={"local": "2024.1", "judge": "merged-3"},
    )


def traffic(now: float, *, minutes: int = 110, per_minute: int = 9, spike_minutes: int = 14) -> list[ScoredInteraction]:
    """Traffic up to now: calm at first, then a spike that lasts until now."""
    chance = random.Random(7)
    times = sorted(now - chance.random() * minutes * 60 for _ in range(minutes * per_minute))
    return [
        interaction_at(time, number, chance, hallucination_rate=0.38 if time > now - spike_minutes * 60 else 0.05)
        for number, time in enumerate(times)
    ]


def judged(one: ScoredInteraction, *, drawn: bool, faithfulness: float, scorer: str = "judge") -> ScoredInteraction:
    """With a judge that looks at a quarter of the answers; of the others it says that they were sampled out."""
    found = Scored(faithfulness) if drawn else NotApplicable(Reason.SAMPLED_OUT)
    decision = SamplingDecision(kept=drawn, probability=0.25 * one.decision.probability, stratum=scorer)
    judgement = Judgement(scorer, {MetricKey.FAITHFULNESS: found}, decision)
    local = one.scores if one.local_scores is None else one.local_scores
    return replace(one, local_scores=local, judgements=(*one.judgements, judgement))


def judged_traffic(now: float) -> list[ScoredInteraction]:
    """The same traffic with a judge that calls half of what it sees hallucinated, and a second one that saw nothing."""
    chance = random.Random(13)
    found = []
    for one in traffic(now):
        drawn = chance.random() < 0.25 and isinstance(one.scores[MetricKey.FAITHFULNESS], Scored)
        by_judge = judged(one, drawn=drawn, faithfulness=chance.choice([0.0, 1.0]))
        found.append(judged(by_judge, drawn=False, faithfulness=1.0, scorer="second_judge"))
    return found
