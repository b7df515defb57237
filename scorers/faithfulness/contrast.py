"""What sets a claim apart from a passage that has nearly all its words: one word, the scope, the roles, the row."""

import re
from dataclasses import dataclass

from ragsonde.scorers.facts import Facts
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.free import find_other_terms
from ragsonde.scorers.faithfulness.names_given import find_other_name
from ragsonde.scorers.faithfulness.parallels import find_mixed
from ragsonde.scorers.faithfulness.roles import ORDER_TELLS_ROLES, read_parts, swapped
from ragsonde.scorers.faithfulness.scope import widened
from ragsonde.scorers.faithfulness.substitution import find_substitution
from ragsonde.scorers.faithfulness.table_rows import column_of_another, row_of_another
from ragsonde.scorers.faithfulness.words import is_content, split_words
from ragsonde.scorers.score import Verdict

_SEMICOLONS = ";；؛;"
_SEMICOLON = re.compile(f"[{_SEMICOLONS}]")


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
    own = facts.measurements.all()
    substitution = find_substitution(claim, alignment, evidence, own)
    if substitution is not None:
        reason = f"The passage says “{substitution.found}” where the answer says “{substitution.stated}”."
        return Contrast(Verdict.NOT_FOUND, reason)
    if (added := _foreign_clause(claim, evidence)) is not None:
        return Contrast(Verdict.NOT_FOUND, f"Nothing of “{added}” is in the contexts.")
    window = evidence.main_sentence(claim, alignment.window)
    document = evidence.documents[window.document]
    passage = document.passage(window.first)
    if (scope := widened(claim, lambda: passage.quantifiers)) is not None:
        return Contrast(Verdict.CONTRADICTED, f"The answer says “{scope[0]}”, the passage “{scope[1]}”.")
    if (roles := swapped(read_parts(claim), passage.parts)) is not None and document.language in ORDER_TELLS_ROLES:
        reason = f"The answer says “{roles[0]}”, the passage “{roles[1]}”: the parts have changed places."
        return Contrast(Verdict.CONTRADICTED, reason)
    if (row := row_of_another(own, claim, document.tables)) is not None:
        return Contrast(Verdict.CONTRADICTED, f"“{row[0]}” is in another row of the table; this one is “{row[1]}”.")
    if (cell := column_of_another(own, claim, document.tables)) is not None:
        return Contrast(Verdict.CONTRADICTED, f"The table does not say “{cell[0]}” there, but “{cell[1]}”.")
    if (terms := find_other_terms(claim, own, alignment, evidence)) is not None:
        reason = f"The answer says “{terms.stated}”, of this the contexts say “{terms.rightful}”."
        return Contrast(Verdict.CONTRADICTED, reason)
    if (mixed := find_mixed(claim, facts, alignment, evidence)) is not None:
        reason = f"“{mixed.stated}” is said of something else; of this the contexts say “{mixed.rightful}”."
        return Contrast(Verdict.CONTRADICTED if mixed.against else Verdict.NOT_FOUND, reason)
    if (name := find_other_name(claim, own, alignment, evidence)) is not None:
        reason = f"“{name[0]}” is said of something else; of this the contexts say “{name[1]}”."
        return Contrast(Verdict.NOT_FOUND, reason)
    return None


def _foreign_clause(claim: str, evidence: Evidence) -> str | None:
    """A clause after a semicolon, a statement by itself, of which neither contexts nor question have any word."""
    if not any(sign in claim for sign in _SEMICOLONS):
        return None
    for clause in _SEMICOLON.split(claim):
        telling = [word.key for word in split_words(clause) if is_content(word.key)]
        if telling and not any(evidence.holds(key) or evidence.asked(key) for key in telling):
            return clause.strip(" .。")
    return None
