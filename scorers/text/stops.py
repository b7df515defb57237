"""Whether a full stop ends a sentence."""

from string import ascii_letters, digits

import regex

from ragsonde.scorers.text.abbreviations import ListedWords, may_be_listed
from ragsonde.scorers.text.marks import TRAILING_MARK

_WEAK = frozenset(".!?…‥\u037e")
"""Marks that also stand inside words, numbers and quotes: they need white space after them."""
_CLOSER = regex.compile(r"(?:[\p{Pe}\p{Pf}\p{Pi}\"'*_~]|[ \u00a0\u202f]»(?=\s|$))+")
_CLOSER_UNSPACED = regex.compile(r"[\p{Pe}\p{Pf}\"'*_~]+")
"""After a stop that needs no space, an initial quote mark opens what follows."""
_BLANK = regex.compile(r"[ \t\u00a0\u202f\u3000]{0,4}")
_MORE_STOPS = regex.compile(r"[\p{Sentence_Terminal}…\p{Pe}\p{Pf}\"']{0,8}")
_OPENING = regex.compile(r"[\s\p{Ps}\p{Pi}\p{Pd}\"'*_~¿¡„‚»`#>]*")
_TOKEN = regex.compile(r"(?r)[\p{L}\p{M}\p{N}.'’/№_-]+")
"""Read backwards, from the stop on."""
_NEXT_WORD = regex.compile(r"[\p{L}\p{M}\p{N}'’-]{1,40}")
_ENUMERATOR = regex.compile(r"[\W_]*(?:\p{Nd}{1,3}|\p{L}|[ivxlc]{1,5}|[IVXLC]{1,5})(?:\.\p{Nd}{1,2}){0,3}")
_DOTTED = regex.compile(r"(?:\p{L}\.[-‐]?){1,5}\p{L}")
_ORDINAL = regex.compile(r"\p{Nd}{1,4}|[IVXLC]{2,6}")
_DATE_ON = regex.compile(r"\p{Nd}{1,2}\. ?\p{Nd}{2,4}")
_DATE_SO_FAR = regex.compile(r"\p{Nd}{1,2}\. ?\p{Nd}{1,2}$")
_UNSPACED_SCRIPT = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}。-〃「-】！-～]"
)
_QUOTE_GOES_ON = regex.compile(
    r"[，、,と]|って|という|[他她它我你您](?:们|們)?\p{Han}{0,2}[说說问問答道想]|[说說问問道的是等]"
)
"""After a quote with its own stop inside: the sentence around the quote is not over."""
_INITIAL = regex.compile(r"\p{Lu}\.(?!\w)")
_QUOTE = regex.compile(r"[\p{Pi}\"'„‚»]")
_EXCLAMATION = regex.compile(r"[¿¡]")
_TWO_PART = regex.compile(r"\p{L}{1,5}(?=\.)")
_PREFIXED_SCRIPT = regex.compile(r"[ובהלשכמوفبل]\p{L}")
"""Hebrew and Arabic write "and", "the", "to" as one letter before the word."""
_THAI = regex.compile(r"[\p{Thai}\p{Lao}]")
_ALPHANUMERIC = frozenset(ascii_letters + digits)
_ROMAN_LETTERS = frozenset("ivxlc")
_WINDOW = 48
_MAX_THAI_ABBREVIATION = 6
"""Thai writes a full stop after abbreviations and hardly anywhere else."""
_MAX_MARKS = 20


def ends_sentence(
    text: str, begin: int, start: int, end: int, lists: ListedWords, *, cased: bool, marked: bool = True
) -> int | None:
    """Where the next sentence begins if the stop ``text[start:end]`` ends the one that began at ``begin``; else None.

    ``cased`` says whether the block uses capitals at all: where it does, a small letter never begins a sentence;
    ``marked`` whether it may hold citation marks.
    """
    stop = text[start:end]
    if not marked and stop in _WEAK and text[end : end + 1] == " " and text[end + 1 : end + 2] in _ALPHANUMERIC:
        # The usual case: nothing but a space before the next word.
        abbreviated = stop == "." and _belongs_to_word(text, begin, start, end + 1, lists)
        return None if abbreviated or (cased and _is_small(text, end + 1)) else end
    strong = stop[-1] not in _WEAK and not (stop == "．" and text[end : end + 1].isdigit())
    closers = (_CLOSER_UNSPACED if strong else _CLOSER).match(text, end)
    after_closers = closers.end() if closers else end
    after_marks = _absorb_marks(text, begin, after_closers) if marked else after_closers
    opening = _OPENING.match(text, after_marks)
    following = opening.end() if opening else after_marks
    if following >= len(text):
        return None
    if strong:
        quoted = after_closers > end and after_marks == after_closers and _QUOTE_GOES_ON.match(text, after_closers)
        return None if quoted else after_marks
    if not text[after_marks].isspace() and not _breaks_unspaced(text, start, after_closers, after_marks):
        return None
    abbreviated = stop == "." and closers is None and _belongs_to_word(text, begin, start, following, lists)
    if _is_small(text, following) and (cased or abbreviated):
        return after_closers if _marks_open_next(text, after_closers, after_marks) and not abbreviated else None
    return None if abbreviated else after_marks


def _absorb_marks(text: str, begin: int, at: int) -> int:
    """The end of the citation marks that follow a full stop: they belong to the sentence before them."""
    leading = _OPENING.match(text, begin)
    if TRAILING_MARK.match(text, leading.end() if leading else begin) or TRAILING_MARK.match(text, begin):
        return _adjacent_marks(text, at)
    for _ in range(_MAX_MARKS):
        blank = _BLANK.match(text, at)
        mark = TRAILING_MARK.match(text, blank.end() if blank else at)
        if mark is None:
            return at
        more = _MORE_STOPS.match(text, mark.end())
        at = more.end() if more else mark.end()
    return at


def _adjacent_marks(text: str, at: int) -> int:
    """Where marks open the sentences (``[1] … [2] …``), only those without a space before them close one."""
    for _ in range(_MAX_MARKS):
        mark = TRAILING_MARK.match(text, at)
        if mark is None:
            return at
        at = mark.end()
    return at


def _breaks_unspaced(text: str, start: int, after_closers: int, after_marks: int) -> bool:
    """Whether a stop with no white space after it still ends the sentence."""
    following = text[after_marks]
    unspaced_next = _UNSPACED_SCRIPT.match(following) is not None
    if after_marks > after_closers:
        return following.isupper() or unspaced_next
    unspaced_before = start > 0 and _UNSPACED_SCRIPT.match(text[start - 1]) is not None
    if text[start] in "!?":
        return unspaced_next or unspaced_before or (following.isupper() and start > 0 and text[start - 1].islower())
    return text[start] == "." and unspaced_next and unspaced_before and not _THAI.match(following)


def _is_small(text: str, at: int) -> bool:
    # "iPhone", "eBay", "pH" may begin a sentence.
    return text[at].islower() and not text[at + 1 : at + 2].isupper()


def _marks_open_next(text: str, after_closers: int, after_marks: int) -> bool:
    """``It is free. [1] says so.``: the mark is the next sentence's subject."""
    return after_marks > after_closers and text[after_closers].isspace()


def _belongs_to_word(text: str, begin: int, start: int, following: int, lists: ListedWords) -> bool:
    """Whether the full stop at ``start`` is part of an abbreviation, an initial, an ordinal or an enumerator."""
    before = text[max(begin, start - _WINDOW) : start]
    if _is_plain_word(before):
        return False
    found = _TOKEN.match(before)
    opening = text[start + 1 : following]
    if found is None or _EXCLAMATION.search(opening):
        return False
    if start - begin <= _WINDOW and _ENUMERATOR.fullmatch(before.strip()):
        return True
    token = found[0].lstrip("'’-/.")
    word = _NEXT_WORD.match(text, following)
    initial = _INITIAL.match(text, following) is not None
    # An initial is a name's, even where the letter alone is a word ("А", "O").
    after = "" if initial or not word else word[0].casefold()
    if _begins_two_part(token, text, following, lists) or _is_abbreviation(
        before, token, after, lists, initial=initial
    ):
        return True
    if _QUOTE.search(opening):
        return False
    return _is_initial(token, after, lists) or _is_ordinal(
        before, token, text[following : following + 12], after, lists
    )


def _is_plain_word(before: str) -> bool:
    """A quick look before slow ones: the last word is of ASCII letters, in no list, and no Roman numeral."""
    rest = before.rstrip(ascii_letters)
    word = before[len(rest) :].lower()
    plain = len(word) > 1 and rest[-1:] in (" ", "\n", "") and not may_be_listed(word)
    return plain and not _ROMAN_LETTERS.issuperset(word)


def _begins_two_part(token: str, text: str, following: int, lists: ListedWords) -> bool:
    """``z. T.``, ``EE. UU.``: the first stop of an abbreviation written with a space."""
    second = _TWO_PART.match(text, following)
    name = f"{token}. {second[0]}".casefold() if second else ""
    return lists.hold("open", (name,)) or lists.hold("closing", (name,))


def _is_initial(token: str, after: str, lists: ListedWords) -> bool:
    """A letter, or letters with stops between, that stand for a name: unless the next word begins a sentence."""
    if len(token) == 1 and token.isalpha() and not _UNSPACED_SCRIPT.match(token):
        return not token.islower() and not lists.hold("starter", (after,)) and not after[:1].isdigit()
    if _DOTTED.fullmatch(token):
        return not lists.hold("starter", (after,)) and (token.isupper() or not after)
    return False


def _is_abbreviation(before: str, token: str, after: str, lists: ListedWords, *, initial: bool) -> bool:
    if _THAI.match(token[-1:]):
        return len(token) <= _MAX_THAI_ABBREVIATION
    names = _names(before, token)
    # "i dr." is "etc.", but in "i dr. Babić" the doctor.
    if lists.hold("closing", (name for name in names if " " in name)) and (
        not lists.hold("open", (token.casefold(),)) or lists.hold("starter", (after,))
    ):
        return False
    if initial and lists.hold("closing", names):
        return True  # "1961 г. Ю. А. Гагарин"
    if lists.hold("open", names):
        # A title or "e.g." stands before anything; "max." or "est." also ends sentences.
        return not lists.hold("starter", (after,)) or "." in token or token[:1].isupper()
    return lists.hold("number", names) and (after[:1].isdigit() or _ORDINAL.fullmatch(after.upper()) is not None)


def _names(before: str, token: str) -> set[str]:
    """What the word before the stop may be listed as: alone, without article or prefix, with the words before it."""
    folded = token.casefold()
    words = before.casefold().split(" ")
    names = {folded, folded.rpartition("'")[2], folded.rpartition("’")[2]}
    names |= {" ".join(words[-count:]).lstrip("([{„“\"'") for count in (2, 3)}
    if _PREFIXED_SCRIPT.match(folded):
        names.add(folded[1:])
    return names


def _is_ordinal(before: str, token: str, ahead: str, after: str, lists: ListedWords) -> bool:
    if not _ORDINAL.fullmatch(token):
        return False
    if after[:1].isdigit():
        return len(token) <= 2 and (bool(_DATE_ON.match(ahead)) or bool(_DATE_SO_FAR.search(before)))
    if lists.hold("ordinal", (after,)):
        return True
    words = before.casefold().split()
    leader = len(words) > 1 and len(token) <= 2 and token.isdigit() and lists.hold("leader", (words[-2],))
    return leader and not lists.hold("starter", (after,))
