"""No detected value survives, the same value keeps its placeholder, and ordinary text is left alone."""

import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from ragsonde.redaction import KINDS, RedactionTimeoutError, RedactionUnavailableError, Redactor
from ragsonde.redaction.phones import DEFAULT_REGIONS, PhoneDetector
from ragsonde.redaction.presidio import PresidioDetector

REDACTOR = Redactor()

VALUES = {
    "EMAIL": [
        "anna.nowak@example.pl",
        "a.b+c@mail.example.co.uk",
        "jürgen@müller.de",
        "иван@почта.рф",
        "o'brien_7@example.museum",
    ],
    "PHONE": [
        "+48 501 234 567",
        "501 234 567",
        "22 123 45 67",
        "+49 30 901820",
        "030 901820",
        "(0711) 123456",
        "+7 495 123-45-67",
        "8 (495) 123-45-67",
        "8 800 555-35-35",
        "+387 33 278 345",
        "061 123 456",
        "012-345 6789",
        "+60 12-345 6789",
        "13812345678",
        "138 1234 5678",
        "010-12345678",
        "020 7946 0018",
        "415-555-2671",
    ],
    "CARD": [
        "4111 1111 1111 1111",
        "5500-0000-0000-0004",
        "378282246310005",
        "６０１１１１１１１１１１１１１７",
        "2202 2003 1234 567" + luhn.calc_check_digit("220220031234567"),
    ],
    "IBAN": [
        "DE89 3704 0044 0532 0130 00",
        "PL61109010140000071219812874",
        "BA39 1290 0794 0102 8494",
        "gb82 west 1234 5698 7654 32",
    ],
    "IP": ["192.168.12.4", "2001:db8::8a2e:370:7334", "fe80::1", "8.8.8.8"],
    "KEY": [
        "sk-proj-abc123def456ghi789jkl",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoP",
        "xoxb-123456789012-abcdefABCDEF",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nnever ended",
    ],
}
EVERY_VALUE = [(label, value) for label, values in VALUES.items() for value in values]

ORDINARY = [
    "Order 20241130-4432, invoice 4471234, order number 600123456, parcel 00340434161094042557.",
    "Zwrot w ciągu 30 dni, opłata 1 234 567,89 zł, rabat 12,5 %, zamówienie nr 2024/11/4471.",
    "Am 30.11.2024 um 08:22 Uhr, 1.299,00 EUR, §12.3.4, Öffnungszeiten 9:00 - 17:30, 8-10 Personen.",
    "Заказ 4471234 от 12.05.2024 на 1 000 000 000 ₽, версия 10.4.2.1, площадь 120 500 300 км.",
    "Narudžba 55-1203, rok 14 dana, cijena 1.499,50 KM, stanje na dan 1. 5. 2024.",
    "Pesanan 8840012, RM 1,299.00, buka 9.00 pagi hingga 6.00 petang, 2019–2024.",
    "订单号20241130001，价格1999元，2024年11月30日，营业时间9:00-17:30，版本1.2.3.4。",
    "ISBN 978-3-16-148410-0, EAN 5901234123457, v1.2.3.4, Firmware: 10.0.0.1, 501 234 567 zł",
    "std::vector, a::b, 12:30:45, 00:1A:2B:3C:4D:5E, matrix[0][1], 2001:2:3, user@host, @mention, #1234567",
    "The bearer responsibilities were shared; sk-bratislava-old-town-hall is a page.",
    "4111 1111 1111 1112 fails its check digit, and 1234567890123456 is nobody's card.",
    "DE89 3704 0044 0532 0130 01 is mistyped; AB12 is a seat.",
]


@pytest.mark.parametrize(("label", "value"), EVERY_VALUE)
@pytest.mark.parametrize("around", ["Write to {} now.", "({})", "联系{}。", "«{}»", "tel.: {}", "{}"])
def test_a_value_is_replaced_wherever_it_stands(label: str, value: str, around: str) -> None:
    redacted = REDACTOR(around.format(value))
    assert value not in redacted
    assert redacted.startswith(around.partition("{")[0])
    assert re.search(r"\[[A-Z]+_1\]", redacted)
    if around != "联系{}。":
        assert f"[{label}_1]" in redacted


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_numbers_are_left_alone(text: str) -> None:
    assert REDACTOR(text) == text


@given(st.lists(st.sampled_from(EVERY_VALUE), min_size=1, max_size=6), st.sampled_from([". ", ", ", "\n", " und "]))
def test_no_value_survives_among_others(values: list[tuple[str, str]], separator: str) -> None:
    values = [value for value in values if "never ended" not in value[1]]
    redacted = REDACTOR("x " + separator.join(value for _, value in values) + separator)
    for _, value in values:
        assert value not in redacted
    assert REDACTOR(redacted) == redacted


@given(st.text(alphabet=st.characters(categories=["L", "M", "P", "Zs"], exclude_characters="@:"), max_size=200))
def test_text_without_digits_addresses_or_keys_is_unchanged(text: str) -> None:
    assert REDACTOR(text) == text


@given(st.text(max_size=200))
def test_any_text_can_be_redacted_twice_with_the_same_outcome(text: str) -> None:
    once = REDACTOR(text)
    assert REDACTOR(once) == once


@given(st.integers(min_value=0, max_value=10**14 - 1), st.sampled_from(["4", "51", "55"]))
def test_every_card_with_a_right_check_digit_is_found(number: int, prefix: str) -> None:
    body = (prefix + f"{number:014d}")[:15]
    card = body + luhn.calc_check_digit(body)
    assert REDACTOR(f"card {card[:4]} {card[4:8]} {card[8:12]} {card[12:]}.") == "card [CARD_1]."
    wrong = body + str((int(card[-1]) + 1) % 10)
    assert Redactor(kinds=["card"])(wrong) == wrong


@given(st.integers(min_value=0, max_value=10**18 - 1))
def test_every_iban_with_right_check_digits_is_found(number: int) -> None:
    account = f"{number:018d}"
    iban = f"DE{mod_97_10.calc_check_digits(account + 'DE')}{account}"
    assert REDACTOR(f"IBAN {iban}, bitte") == "IBAN [IBAN_1], bitte"


@pytest.mark.parametrize("region", DEFAULT_REGIONS)
@pytest.mark.parametrize("kind", [phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE])
def test_example_numbers_of_every_country_are_found(region: str, kind: int) -> None:
    example = phonenumbers.example_number_for_type(region, kind)
    assert example is not None
    national = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.NATIONAL)
    international = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    assert re.fullmatch(r"tel\. \[PHONE_1\], \[PHONE_2\]", REDACTOR(f"tel. {national}, {international}"))


def test_one_value_keeps_its_placeholder_through_a_session() -> None:
    session = REDACTOR.session()
    assert session.redact("Is anna@example.org right?") == "Is [EMAIL_1] right?"
    assert session.redact("bob@example.org, Anna@Example.org") == "[EMAIL_2], [EMAIL_1]"
    assert session.redact("+48 501 234 567 = +48501234567") == "[PHONE_1] = [PHONE_1]"
    assert REDACTOR.session().redact("bob@example.org") == "[EMAIL_1]"


def test_overlapping_finds_leave_no_half_behind() -> None:
    redactor = Redactor(patterns={"account": r"[0-9]{4} 1111 1111"})
    assert redactor("pay 4111 1111 1111 1111 now") == "pay [ACCOUNT_1] now"


def test_own_patterns_get_their_own_name() -> None:
    redactor = Redactor(kinds=["email"], patterns={"member": r"M-[0-9]{6}", "policy": r"(?<=Police )\w+"})
    assert redactor("M-123456, Police AB12, M-123456, 4111111111111111") == (
        "[MEMBER_1], Police [POLICY_1], [MEMBER_1], 4111111111111111"
    )


def test_an_own_pattern_that_takes_too_long_raises_rather_than_lets_text_through() -> None:
    redactor = Redactor(kinds=[], patterns={"slow": r"(?:a|a|aa)+$"})
    with pytest.raises(RedactionTimeoutError, match="SLOW"):
        redactor("a" * 80 + "!")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"kinds": ["mail"]}, "unknown mail; choose from key, email"),
        ({"patterns": {"x": "("}}, "patterns: x: "),
        ({"patterns": {"x": "a*"}}, "matches the empty text"),
        ({"patterns": {"1x": "a"}}, "must be a letter"),
        ({"regions": ["XX"]}, "regions.*XX"),
    ],
)
def test_wrong_options_are_explained(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Redactor(**options)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a@",
        "eyJ",
        "1 ",
        "AB12 ",
        "4111 ",
        "::1:",
        "1.1.",
        "sk-",
        "a.",
        "@a.b",
        "://a:",
        "bearer ",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_time_grows_with_the_length_of_the_text_only(unit: str) -> None:
    """Counts what the detectors look at through a clock of their own: the steps a tracing function sees."""

    def steps(length: int) -> int:
        text = (unit * length)[:length]
        seen = 0

        def count(frame: Any, event: str, argument: Any) -> Any:
            nonlocal seen
            seen += 1
            return count

        sys.settrace(count)
        try:
            REDACTOR.find(text)
        finally:
            sys.settrace(None)
        return seen

    steps(50)
    assert steps(4000) <= 2.6 * steps(2000) + 500


def test_simple_kinds_work_without_the_extra_packages() -> None:
    script = """
import sys
sys.modules["stdnum"] = sys.modules["phonenumbers"] = sys.modules["regex"] = None
from ragsonde.redaction import Redactor, RedactionUnavailableError
print(Redactor(kinds=("key", "email", "ip"), patterns={"m": "M-[0-9]+"})("a@b.org M-1 8.8.8.8"))
for kind in ("phone", "card", "iban"):
    try:
        Redactor(kinds=[kind])
    except RedactionUnavailableError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    lines = done.stdout.splitlines()
    assert lines[0] == "[EMAIL_1] [M_1] [IP_1]"
    assert len(lines) == 4
    assert all("pip install 'ragsonde[redaction]'" in line for line in lines[1:])


class Engine:
    """Answers as a Presidio engine does: objects with ``start``, ``end`` and ``entity_type``."""

    def analyze(self, *, text: str, language: str, entities: list[str] | None, score_threshold: float) -> list[Any]:
        assert (language, entities, score_threshold) == ("pl", ["PERSON"], 0.5)
        start = text.index("Anna")
        return [SimpleNamespace(start=start, end=start + 4, entity_type="PERSON")]


def test_presidio_adds_what_it_finds() -> None:
    redactor = Redactor(kinds=["email"], detectors=[PresidioDetector("pl", entities=("PERSON",), engine=Engine())])
    assert redactor("Pisze Anna, anna@example.org") == "Pisze [PERSON_1], [EMAIL_1]"


def test_presidio_missing_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(RedactionUnavailableError, match=r"ragsonde\[presidio\]"):
        PresidioDetector("pl")


def test_the_kinds_are_those_that_are_documented() -> None:
    assert set(KINDS) == {"key", "email", "iban", "card", "phone", "ip"}
    assert PhoneDetector(["PL"])("zadzwoń") is not None
