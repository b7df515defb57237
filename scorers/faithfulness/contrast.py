"""What sets a claim apart from a passage that has nearly all its words: one word, the scope, the roles, the row."""

from dataclasses import dataclass

from ragsonde.scorers.facts import Facts
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.roles import ORDER_TELLS_ROLES, read_parts, swapped
from ragsonde.scorers.faithfulness.scope import widened
from ragsonde.scorers.faithfulness.substitution import find_substitution
from ragsonde.scorers.faithfulness.table_rows import row_of_another
from ragsonde.scorers.score import Verdict


@dataclass(frozen=True, slots=True)
class Contrast:
    """Why a claim is not borne out although its words are there."""

    verdict: Verdict
    """``contradicted`` or ``not_found``."""
    reason: str
    """One sentence."""


def find_contrast(claim: str, facts: Facts, alignment: Alignment, evidence: Evidence) -> Contrast | None:
    """What sets a claim apart from its deciding passage; None where nothing is seen."""
    if alignment.window is None:
        return None
    substitution = find_substitution(claim, alignment, evidence)
    if substitution is not None:
        reason = f"The passage says “{substitution.found}” where the answer says “{substitution.stated}”."
        return Contrast(Verdict.NOT_FOUND, reason)
    window = evidence.main_sentence(claim, alignment.window)
    document = evidence.documents[window.document]
    passage = document.passage(window.first)
    if (scope := widened(claim, lambda: passage.quantifiers)) is not None:
        return Contrast(Verdict.CONTRADICTED, f"The answer says “{scope[0]}”, the passage “{scope[1]}”.")
    if (roles := swapped(read_parts(claim), passage.parts)) is not None and document.language in ORDER_TELLS_ROLES:
        reason = f"The answer says “{roles[0]}”, the passage “{roles[1]}”: the parts have changed places."
        return Contrast(Verdict.CONTRADICTED, reason)
    if (row := row_of_another(facts.measurements.all(), claim, document.tables)) is not None:
        return Contrast(Verdict.CONTRADICTED, f"“{row[0]}” is in another row of the table; this one is “{row[1]}”.")
    return None
