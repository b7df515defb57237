"""What the page of one item shows, as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.exporters import quality
from ragsonde.exporters.pages.evidence import document_name
from ragsonde.review.model import Review, ReviewItem, Turn
from ragsonde.review.web.forms import offered
from ragsonde.scorers.score import Claim, MetricKey, Outcome, Scored, ScoredInteraction
from ragsonde.scorers.text.folding import place_quote

MAX_CLAIMS = 200
"""Claims that the page offers to label; an answer of more is none that a person labels claim by claim."""


@dataclass(frozen=True, slots=True)
class OwnVerdict:
    """What one source of scores says of a claim."""

    scorer: str
    claim: Claim | None
    """The claim of that source that covers most of ours; None where it has none there."""


@dataclass(frozen=True, slots=True)
class Said:
    """What another reviewer says of the same."""

    reviewer: str
    verdict: LabelVerdict
    agrees: bool


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with all that is known of it."""

    index: int
    claim: Claim
    passages: tuple[int, ...]
    """Places among the passages, 1 for the first, of those that hold its quote."""
    scorers: tuple[OwnVerdict, ...]
    """Where several sources of scores looked at the answer."""
    mine: LabelVerdict | None
    others: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A metric by each source of scores; None where a source does not give it."""

    name: str
    outcomes: tuple[Outcome | None, ...]


@dataclass(frozen=True, slots=True)
class RubricView:
    """A rubric of the operator's own, to label by."""

    name: str
    labels: tuple[str, ...]
    """To choose from; empty where they are not known, and anything may be written."""
    scorers: tuple[str, ...]
    """What scorers say, a label each."""
    mine: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """The page."""

    item: ReviewItem
    mine: Review
    """An empty review where there is none."""
    claims: tuple[ClaimView, ...]
    scorers: tuple[str, ...]
    scores: tuple[ScoreRow, ...]
    rubrics: tuple[RubricView, ...]
    turns: tuple[Turn, ...]
    bad_turns: int
    verdicts_of_others: tuple[Said, ...]
    """On the answer as a whole; shown only beside one's own."""
    reviews_of_others: tuple[Review, ...]
    """Whole reviews to read, once one's own verdict stands; empty before."""
    hidden: int
    """Reviews of others that are not shown yet."""
    citation_leads: Mapping[int, int] = field(default_factory=dict)
    """Place among the passages of the one that a citation leads to, by the citation's index."""

    @property
    def scored(self) -> ScoredInteraction:
        """The record."""
        return self.item.scored


def item_view(
    item: ReviewItem,
    reviewer: str,
    turns: Sequence[Turn],
    rubrics: Mapping[str, Sequence[str]],
    *,
    given: Review | None = None,
) -> ItemView:
    """Put together what a reviewer is to see: nothing of what others say about a thing before the own word on it.

    ``given`` stands in the form in place of what is stored, where it could not be saved.
    """
    scored = item.scored
    stored = next((review for review in item.reviews if review.reviewer == reviewer), None)
    mine = given or stored or Review(scored.interaction.id, reviewer)
    others = [review for review in item.reviews if review.reviewer != reviewer and not review.skipped]
    sources = list(scored.by_scorer())
    claims = quality.claims(scored)[:MAX_CLAIMS]
    decided = mine.verdict is not None
    return ItemView(
        item=item,
        mine=mine,
        claims=tuple(
            ClaimView(
                index=index,
                claim=claim,
                passages=_passages(scored, claim),
                scorers=_own_verdicts(sources, claim) if len(sources) > 1 else (),
                mine=offered(mine.claims.get(index)),
                others=_said(mine.claims.get(index), {who.reviewer: who.claims.get(index) for who in others}),
            )
            for index, claim in enumerate(claims)
        ),
        scorers=tuple(name for name, _ in sources),
        scores=_scores(sources),
        rubrics=_rubrics(sources, rubrics, mine),
        turns=tuple(turns),
        bad_turns=sum(_is_bad(turn) for turn in turns),
        verdicts_of_others=_said(mine.verdict, {who.reviewer: who.verdict for who in others}),
        reviews_of_others=tuple(others) if decided else (),
        hidden=0 if decided else len(others),
        citation_leads=_citation_leads(scored),
    )


def _said(mine: LabelVerdict | None, theirs: Mapping[str, LabelVerdict | None]) -> tuple[Said, ...]:
    own = offered(mine)
    if own is None:
        return ()
    return tuple(
        Said(reviewer, verdict, agrees=offered(verdict) == own)
        for reviewer, verdict in sorted(theirs.items())
        if verdict is not None
    )


def _is_bad(turn: Turn) -> bool:
    """A person's word counts before the scorer's."""
    if turn.verdict is not None and turn.verdict.fault is not None:
        return turn.verdict.fault
    return turn.faithfulness is not None and turn.faithfulness < 1.0


def _passages(scored: ScoredInteraction, claim: Claim) -> tuple[int, ...]:
    if not claim.quote:
        return ()
    return tuple(
        place
        for place, document in enumerate(scored.interaction.contexts or (), 1)
        if (not claim.context_ids or document_name(document) in claim.context_ids)
        and document.text
        and place_quote(claim.quote, document.text) is not None
    )


def _own_verdicts(sources: Sequence[tuple[str, ScoredInteraction]], claim: Claim) -> tuple[OwnVerdict, ...]:
    found = []
    for name, view in sources:
        if isinstance(view.scores.get(MetricKey.FAITHFULNESS), Scored):
            shared = [(min(own.end, claim.end) - max(own.start, claim.start), own) for own in quality.claims(view)]
            best = max(shared, key=lambda pair: pair[0], default=None)
            found.append(OwnVerdict(name, best[1] if best is not None and best[0] > 0 else None))
    return tuple(found) if len(found) > 1 else ()


def _scores(sources: Sequence[tuple[str, ScoredInteraction]]) -> tuple[ScoreRow, ...]:
    names = dict.fromkeys(str(name) for _, view in sources for name in view.scores)
    by_name = [{str(name): outcome for name, outcome in view.scores.items()} for _, view in sources]
    order = {str(key): number for number, key in enumerate(MetricKey)}
    return tuple(
        ScoreRow(name, tuple(outcomes.get(name) for outcomes in by_name))
        for name in sorted(names, key=lambda name: (order.get(name, len(order)), name))
    )


def _rubrics(
    sources: Sequence[tuple[str, ScoredInteraction]], known: Mapping[str, Sequence[str]], mine: Review
) -> tuple[RubricView, ...]:
    """The configured rubrics, and those that the record or the review speaks of."""
    said: dict[str, list[str]] = {}
    for _, view in sources:
        for name, outcome in view.scores.items():
            if str(name) not in set(MetricKey):
                label = outcome.label if isinstance(outcome, Scored) else None
                said.setdefault(str(name), []).extend([label] if label else [])
    names = sorted({*known, *said, *mine.rubrics})
    return tuple(
        RubricView(name, tuple(known.get(name, ())), tuple(said.get(name, ())), mine.rubrics.get(name, ""))
        for name in names
    )


def _citation_leads(scored: ScoredInteraction) -> dict[int, int]:
    places = {document_name(document): place for place, document in enumerate(scored.interaction.contexts or (), 1)}
    return {
        index: places[citation.context_id]
        for index, (citation, _) in enumerate(quality.citations(scored))
        if citation.context_id is not None and citation.context_id in places
    }
