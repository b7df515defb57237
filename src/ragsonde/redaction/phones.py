"""Detecting telephone numbers in the formats of several countries."""

import re
from collections.abc import Iterator, Sequence

from ragsonde.redaction.finding import Finding, RedactionUnavailableError, with_ascii_digits

try:
    import phonenumbers
    from phonenumbers import Leniency, PhoneNumberMatch, PhoneNumberMatcher
except ImportError as _error:
    raise RedactionUnavailableError(
        "redacting telephone numbers needs phonenumbers: pip install 'ragsonde[redaction]'"
    ) from _error

LABEL = "PHONE"
DEFAULT_REGIONS = ("PL", "DE", "RU", "BA", "MY", "CN", "GB", "US")
"""Countries whose national formats are looked for; international formats (+…) of every country always are."""

_CANDIDATE = re.compile(r"[+(]{0,2}[0-9](?:(?:\.|[ \u00a0()\-–/]{1,3})?[0-9]){6,19}")
_NUMBER = re.compile(r"[0-9]+")
_LEAST_SHARE_OF_DIGITS = 0.6
_BRACKETS = tuple("()")
_CUE = re.compile(
    r"tel|phone|call|mobile|fax|whatsapp|kom[oó]rk|zadzwo|dzwo|handy|mobil|rufnummer|anruf|тел|звон|моб|"
    r"pozov|nazov|mob|hubungi|talian|电话|電話|手机|致电|拨打|热线",
    re.IGNORECASE,
)
_CUE_DISTANCE = 28
_QUANTITY_AFTER = re.compile(
    r"\s{0,2}(?:%|‰|€|\$|£|₽|zł|pln|eur|usd|gbp|руб|км\b|km\b|kg\b|rm\b|bam\b|元|人|people|osób|menschen|einwohner)",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?:19|20)[0-9]{2}[-./ ][0-9]{1,2}[-./ ][0-9]{1,2}|[0-9]{1,2}[-./][0-9]{1,2}[-./](?:19|20)[0-9]{2}")
_CHINESE_MOBILE = re.compile(r"1[3-9][0-9]{9}")


class PhoneDetector:
    """Finds telephone numbers that are valid in their country's numbering plan (libphonenumber).

    A number in a national format must be written as one: grouped as in its country, with its trunk prefix where there
    is one, or near a word such as *phone*. A bare row of digits is more often an order than a telephone.
    """

    def __init__(self, regions: Sequence[str] = DEFAULT_REGIONS) -> None:
        unknown = sorted(set(regions) - set(phonenumbers.SUPPORTED_REGIONS))
        if unknown:
            raise ValueError(f"regions: not a country code of libphonenumber: {', '.join(unknown)}")
        self._regions = tuple(regions)

    def __call__(self, text: str) -> Iterator[Finding]:
        """Yield telephone numbers."""
        plain = with_ascii_digits(text).replace("＋", "+")
        position = 0
        while candidate := _CANDIDATE.search(plain, position):
            position = candidate.end()
            value = candidate.group()
            digits = sum(character.isdigit() for character in value)
            if digits < len(value) * _LEAST_SHARE_OF_DIGITS or _DATE.match(value):
                continue
            findings = list(self._numbers(plain, *candidate.span()))
            yield from findings
            # The candidate may have run into the next number, which is looked at anew.
            position = max((finding.end for finding in findings), default=position)

    def _numbers(self, text: str, start: int, end: int) -> Iterator[Finding]:
        if text[start] == "(" and text.count("(", start, end) > text.count(")", start, end):
            start += 1
        # libphonenumber looks at the characters on either side: a letter or a currency sign speaks against a number.
        window_start = start - 1 if start and text[start - 1] not in _BRACKETS else start
        window = text[window_start : end if text[end : end + 1] in _BRACKETS else end + 1]
        for match in PhoneNumberMatcher(window, None, leniency=Leniency.VALID):
            yield Finding(window_start + match.start, window_start + match.end, LABEL)
        cued = _CUE.search(text, max(0, start - _CUE_DISTANCE), end) is not None
        for region in self._regions:
            if not cued and not _could_be_national(window, region):
                continue
            for match in PhoneNumberMatcher(window, region, leniency=Leniency.STRICT_GROUPING):
                if _is_telephone(match, region, text, window_start):
                    yield Finding(window_start + match.start, window_start + match.end, LABEL)


def _could_be_national(window: str, region: str) -> bool:
    """Whether any number in the window starts as one in ``region`` would: spares most numbers the full look."""
    trunk = _trunk_prefix(region)
    starts = {trunk or "", "1"} if region == "CN" else {trunk or ""}
    if starts == {""}:
        return True
    return any(number.group().startswith(tuple(starts)) for number in _NUMBER.finditer(window))


def _trunk_prefix(region: str) -> str | None:
    """Return what comes before a number dialled within the country; None where that is nothing or optional."""
    metadata = phonenumbers.PhoneMetadata.metadata_for_region(region)
    prefix = None if metadata is None else metadata.national_prefix
    return None if prefix == "1" else prefix


def _is_telephone(match: PhoneNumberMatch, region: str, text: str, offset: int) -> bool:
    start, end = offset + match.start, offset + match.end
    if _QUANTITY_AFTER.match(text, end):
        return False
    if _CUE.search(text, max(0, start - _CUE_DISTANCE), start):
        return True
    digits = "".join(character for character in match.raw_string if character.isdigit())
    trunk = _trunk_prefix(region)
    if region == "CN" and _CHINESE_MOBILE.fullmatch(digits):
        return True
    if trunk is None:
        return len(digits) < len(match.raw_string)
    return digits.startswith(trunk) and len(digits) >= 9
