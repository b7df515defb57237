import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.text.folding import find_quote, fold, place_quote
from ragsonde.scorers.text.negation import find_negations, has_negation
from ragsonde.scorers.text.word_lists import word_pattern, word_sections

LEASE = (
    "The tenant is not allowed to sublet the flat. The rent is due on the first day of each month.\n\n"
    "Pets are welcome, but dogs over 20 kg need consent."
)


@given(st.text(max_size=200))
def test_every_folded_character_leads_back_to_its_source(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    if folded.text:
        start, end = folded.source_span(0, len(folded.text))
        assert fold(text[start:end]).text == folded.text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == fold(fold(once).text).text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("“It’s” – fine…", '"It\'s" - fine...'),
        ("ＡＢＣ１２３", "abc123"),
        ("infor\u00admation\u200b", "information"),
        ("cafe\u0301", "CAFÉ"),
        ("ﬁrst\u00a0\n day", "first day"),
        ("«да»", '"да"'),
        ("co‑operate", "co-operate"),
    ],
)
def test_what_a_copyist_may_change_is_folded(left: str, right: str) -> None:
    assert fold(left).text == fold(right).text


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("not allowed to sublet the flat", LEASE),
        ("The rent is due ... each month", LEASE),
        ("The rent is due [...] each month", LEASE),
        ("The rent is due … each month.", LEASE),
        ('“The rent is due on the first day of each month."', LEASE),
        ("the  RENT is\ndue on the ﬁrst day", LEASE),
        ("... dogs over 20 kg need consent", LEASE),
        ("退款需要五天", "退款需要五天。运费另计。"),
        ("返金できません", "申し訳ありませんが、返金できません。"),
        ("they are allowed to sublet", "Tenants are not charged; they are allowed to sublet."),
    ],
)
def test_a_faithful_quote_is_found(quote: str, text: str) -> None:
    span = find_quote(quote, text)
    assert span is not None
    first, last = (
        quote.split(maxsplit=1)[0].strip("“.…").casefold(),
        quote.rsplit(maxsplit=1)[-1].strip('.…"”').casefold(),
    )
    found = fold(text[slice(*span)]).text
    assert fold(first).text in found
    assert fold(last).text in found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("... allowed to sublet the flat", LEASE),
        ("allowed to sublet the flat", LEASE),
        ("The tenant is ... allowed to sublet", LEASE),
        ("each month ... The rent is due", LEASE),
        ("The tenant ... Pets are welcome", LEASE),
        ("rent allowed month tenant", LEASE),
        ("The rent is du", LEASE),
        ("", LEASE),
        ("...", LEASE),
        ("Anything", ""),
        ("Die Rückgabe ist … möglich", "Die Rückgabe ist nicht möglich."),
        ("Die Gebühr gilt", "Die Gebühr gilt nicht für Kinder."),
        ("Die Gebühr gilt ...", "Die Gebühr gilt für Kinder leider nicht."),
        ("wolno wynajmować", "Najemcy nie wolno wynajmować mieszkania."),
        ("возврат … возможен", "Возврат не возможен."),
        ("dozvoljeno je ... pušenje", "Dozvoljeno je sve osim što nije pušenje."),
        ("可以退款", "您不可以退款。"),
        ("返金でき", "返金できません。"),
        ("يمكن الاسترداد", "لا يمكن الاسترداد."),
    ],
)
def test_a_quote_that_turns_the_meaning_round_or_is_patched_together_is_not_found(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_fragments_far_apart_are_not_one_quote() -> None:
    text = "The fee is paid yearly. " + "Members meet in the hall on Mondays. " * 40 + "It is 20 EUR."
    assert find_quote("The fee ... is 20 EUR", text) is None


def test_a_later_clean_occurrence_is_found() -> None:
    text = "Guests are not allowed to smoke.\n\nStaff are allowed to smoke outside."
    span = find_quote("allowed to smoke", text)
    assert span is not None
    assert text[slice(*span)] == "allowed to smoke"
    assert span[0] > text.index("Staff")


@pytest.mark.parametrize(
    ("language", "negative", "positive"),
    [
        ("en", "Pets aren’t allowed.", "Pets are allowed in another room."),
        ("de", "Das ist kein Problem.", "Das ist eine kleine Aufgabe."),
        ("fr", "Il n'est plus ici.", "Il est ici."),
        ("es", "No se permite.", "Se permite."),
        ("pl", "Nie wolno.", "Wolno to robić."),
        ("cs", "Nelze vrátit.", "Několik nejlepších nebo některé v neděli."),
        ("ru", "Возврат невозможен.", "Возврат возможен, небо синее."),
        ("hr", "Nije dozvoljeno.", "Nebo je plavo, dozvoljeno je."),
        ("sl", "Ni dovoljeno.", "Je dovoljeno."),
        ("tr", "İade edilmez.", "İade edilir."),
        ("ar", "لا يجوز.", "يجوز ذلك."),
        ("fa", "نمی‌شود.", "می‌شود."),
        ("he", "אסור לעשן.", "מותר לעשן."),
        ("hi", "यह संभव नहीं है।", "यह संभव है।"),
        ("zh", "不能退款。", "非常不错，不仅可以退款".replace("不错", "好")),
        ("ja", "返金できません。", "返金できます。"),
        ("ko", "환불되지 않습니다.", "환불됩니다."),
        ("th", "ไม่สามารถคืนได้", "สามารถคืนได้"),
        ("id", "Tidak dapat dikembalikan.", "Dapat dikembalikan."),
        ("vi", "Không được phép.", "Được phép."),
    ],
)
def test_negation_is_seen_in_many_languages(language: str, negative: str, positive: str) -> None:
    assert has_negation(negative, language)
    assert not has_negation(positive, language)


def test_negations_keep_their_offsets_and_an_unknown_language_counts_all() -> None:
    text = "Das geht nicht, it’s never ok"
    found = find_negations(text)
    assert [text[n.start : n.end] for n in found] == [n.text for n in found]
    assert {"nicht", "never"} <= {n.text for n in found}


# Conditions -------------------------------------------------------------------------------------------------------

SEALED = "Refunds are paid only if the seal is unbroken."


@pytest.mark.parametrize(
    "claim",
    [
        "Refunds are paid if the seal is unbroken",
        "You get your money back unless the seal is broken",
        "Sofern das Siegel unversehrt ist, wird der Betrag erstattet",
        "封条完好的，只要申请即可退款",
    ],
)
def test_a_quote_before_a_condition_proves_a_claim_that_carries_one(claim: str) -> None:
    assert find_quote("Refunds are paid", SEALED, claim=claim) == (0, len("Refunds are paid"))
    assert find_quote("Refunds are paid", SEALED, claim="Refunds are paid") is None


def test_a_quote_that_proves_nothing_is_placed_whatever_follows_it() -> None:
    assert find_quote("Refunds are paid", SEALED, claim=None) == (0, len("Refunds are paid"))


@pytest.mark.parametrize(
    "text",
    [
        "Refunds are paid within a week to the card that was used if the seal is unbroken.",
        "Refunds are paid in cash. Only if the seal is broken is a fee due.",
        "Refunds are paid; if the seal is broken, a fee is due.",
        "Refunds are paid until the end of May.",
    ],
)
def test_what_is_no_condition_right_after_the_quote_does_no_harm(text: str) -> None:
    assert find_quote("Refunds are paid", text) is not None


def test_a_turkish_but_is_a_condition_only_where_its_verb_says_so() -> None:
    paid = "Ücret iade edilir"
    assert find_quote(paid, f"{paid}, ancak mühür bozulmamışsa.", "tr") is None
    assert find_quote(paid, f"{paid}, ancak mühür bozulmamışsa.", "tr", claim="Mühür sağlamsa ve bozulmamışsa")
    assert find_quote(paid, f"{paid}, ancak işlem bir hafta sürer.", "tr") is not None


def test_conditions_are_known_in_every_language_that_negations_are_known_in() -> None:
    assert word_sections("conditions.toml").keys() == word_sections("negation.toml").keys()


@pytest.mark.parametrize("file", ["conditions.toml", "negation.toml"])
def test_words_are_found_in_folded_text_too(file: str) -> None:
    for language, section in word_sections(file).items():
        for word in section.get("words", ()):
            assert word_pattern(file, language).search(fold(word).text), (language, word)


@pytest.mark.parametrize(
    ("quote", "text", "placed"),
    [
        ("allowed to sublet the flat", LEASE, "allowed to sublet the flat"),
        ("Refunds are paid", SEALED, "Refunds are paid"),
        ("The tenant ... to sublet", LEASE, "The tenant is not allowed to sublet"),
        ("fees: 20 € & a 'tax' x", "All fees:&nbsp;20&#8364; &amp; a &#x27;tax&#39; x", None),
        ("20 € & a 'tax' x", "All:&nbsp;20 &#8364; &amp; a &#x27;tax&#39; x", "20 &#8364; &amp; a &#x27;tax&#39; x"),
        ("write &lt; for it", "To show a sign, write &amp;lt; for it.", "write &amp;lt; for it"),
        ("AT&amp;T", "AT&T and AT&amp;T", "AT&T"),
        ("art", "The party is art.", "art"),
        ("information", "infor\u00admation&shy;", "infor\u00admation"),
        ("24个月内", "会员积分24个月内有效", "24个月内"),
        ("&", "a &amp; b", "&amp;"),
        ("", "text", None),
        ("...", "text", None),
    ],
)  # fmt: skip
def test_a_quote_is_placed_where_it_stands_although_it_proves_nothing(
    quote: str, text: str, placed: str | None
) -> None:
    span = place_quote(quote, text)
    assert (text[slice(*span)] if span else None) == placed


@given(st.text(st.sampled_from("ab &;#x39amp\u00a0\u00ad.\n"), max_size=60), st.data())
def test_every_cut_of_whole_words_is_placed_and_its_place_holds_the_same(text: str, data: st.DataObject) -> None:
    words = text.split()
    start = data.draw(st.integers(0, len(words)))
    quote = " ".join(words[start : data.draw(st.integers(start, len(words)))])
    span = place_quote(quote, text)
    if span is None:
        assert not any(sign.isalnum() for sign in html.unescape(quote)) or ".." in quote
    else:
        assert 0 <= span[0] < span[1] <= len(text)


@given(st.text(max_size=80), st.text(max_size=20))
def test_a_place_lies_in_the_text_whatever_both_are(text: str, quote: str) -> None:
    span = place_quote(quote, text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)
