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


# Numbers, narrowing and denial -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("reaches 1240", "It reaches 1240.5 degrees"),
        ("costs 5", "It costs 5 000 euros"),
        ("costs 5", "It costs 5 million euros"),
        ("costs 5", "It costs 5,500 euros"),
        ("It costs 5 ... euros", "It costs 5 million euros."),
        ("240 degrees", "It reaches 1.240 degrees"),
        ("5 degrees", "It is -5 degrees now."),
        ("five rooms", "There are twenty-five rooms."),
        ("kostet 5", "Das kostet 5 Mio. Euro."),
        ("стоит 5", "Стол стоит 5 тысяч рублей."),
        ("价格是5", "价格是5万元。"),
        ("opens at 10", "It opens at 10:30."),
        ("five hundred", "It has five hundred thousand members."),
        ("kosztuje 5", "To kosztuje 5 mln zł."),
        ("coûte 5", "Il coûte 5 millions d'euros."),
        ("cuesta 5", "Cuesta 5 mil euros."),
        ("costa 5", "Costa 5 milhões."),
        ("kost 5", "Het kost 5 miljoen euro."),
    ],
)
def test_a_quote_that_stops_inside_a_number_is_not_found(quote: str, text: str) -> None:
    assert find_quote(quote, text, claim=quote) is None
    assert find_quote(quote, text, claim=None) is not None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("the tower was sold in 1990", "It is untrue that the tower was sold in 1990."),
        ("der Turm 1990 verkauft wurde", "Es gibt keinen Beleg dafür, dass der Turm 1990 verkauft wurde."),
        ("башня была продана", "Неверно, что башня была продана."),
        ("the tower was sold", "It is a myth that the tower was sold."),
        ("the tower was sold", "There is no evidence at all to show that the tower was sold."),
        ("the tower was sold in 1990", "The claim that the tower was sold in 1990 is untrue."),
        ("the tower was sold", "Myth: the tower was sold."),
        ("the tower was sold", "The council denied that the tower was sold."),
        ("the tower was sold", "It is doubtful whether the tower was sold."),
        ("der Turm verkauft wurde", "Es ist falsch, dass der Turm verkauft wurde."),
        ("dass der Turm verkauft wurde", "Es ist falsch, dass der Turm verkauft wurde."),
        ("der Turm sei verkauft worden", "Er bestreitet, dass der Turm sei verkauft worden."),
        ("wieża została sprzedana", "Nieprawda, że wieża została sprzedana."),
        ("wieża została sprzedana", "Nie ma dowodów na to, że wieża została sprzedana."),
        ("la torre se vendió", "No es cierto que la torre se vendió."),
        ("la torre se vendió", "Es falso que la torre se vendió."),
        ("la tour a été vendue", "Il est faux que la tour a été vendue."),
        ("elle a été vendue", "Il est faux qu'elle a été vendue."),
        ("la torre è stata venduta", "È falso che la torre è stata venduta."),
        ("a torre foi vendida", "É mentira que a torre foi vendida."),
        ("de toren is verkocht", "Het is onjuist dat de toren is verkocht."),
        ("věž byla prodána", "Není pravda, že věž byla prodána."),
        ("toranj je prodat", "Nije tačno da je toranj prodat. Netačno je da toranj je prodat."),
        ("menara itu dijual", "Adalah palsu bahawa menara itu dijual."),
        ("вежу було продано", "Неправда, що вежу було продано."),
        ("kule 1990'da satıldı", "Kule 1990'da satıldı iddiası asılsızdır."),
        ("该塔于1990年出售", "没有证据表明该塔于1990年出售。"),
        ("该塔于1990年出售", "该塔于1990年出售的说法不实。"),
        ("塔は1990年に売却された", "塔は1990年に売却されたというのは誤りです。"),
        ("탑이 1990년에 팔렸다", "탑이 1990년에 팔렸다는 것은 사실이 아니다."),
    ],
)
def test_a_quote_from_a_clause_that_its_sentence_denies_is_not_found(quote: str, text: str) -> None:
    assert find_quote(quote, text, claim=quote) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("members may vote by post", "Only life members may vote by post."),
        ("Mitglieder dürfen abstimmen", "Nur volljährige Mitglieder dürfen abstimmen."),
        ("члены могут голосовать", "Только почётные члены могут голосовать."),
        ("leden mogen stemmen", "Alleen betalende leden mogen stemmen."),
        ("socios pueden votar", "Solo los socios pueden votar, solo los antiguos socios pueden votar."),
        ("członkowie mogą głosować", "Tylko honorowi członkowie mogą głosować."),
        ("会员可以投票", "只有终身会员可以投票。"),
        ("üyeler oy kullanabilir", "Yalnızca onursal üyeler oy kullanabilir."),
        ("ahli boleh mengundi", "Hanya ahli seumur hidup, hanya bekas ahli boleh mengundi."),
        ("Refunds are paid", "Refunds are paid only in January."),
        ("membri mogu glasati", "Samo počasni membri mogu glasati."),
        ("投票できる", "終身会員だけが投票できる。"),
        ("The pool is open", "The pool is open only on Mondays."),
    ],
)
def test_a_quote_that_leaves_out_what_narrows_it_is_not_found(quote: str, text: str) -> None:
    assert find_quote(quote, text, claim=quote) is None


def test_a_claim_that_narrows_too_is_proved_by_a_narrowed_quote() -> None:
    text = "Refunds are paid only in January."
    assert find_quote("Refunds are paid", text, claim="Only in January are refunds paid")
    assert find_quote("Refunds are paid", text, claim="Nur im Januar wird erstattet")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("the tower was sold in 1990", "There is no doubt that the tower was sold in 1990."),
        ("der Turm verkauft wurde", "Es besteht kein Zweifel, dass der Turm verkauft wurde."),
        ("башня была продана", "Нет сомнений, что башня была продана."),
        ("wieża została sprzedana", "Nie zapominaj, że wieża została sprzedana."),
        ("la tour a été vendue", "Il ne fait aucun doute que la tour a été vendue."),
        ("该塔已出售", "毫无疑问，该塔已出售。"),
        ("members may vote", "Only members may vote."),
        ("5 euros", "The fee is only 5 euros."),
        ("takes five days", "It only takes five days."),
        ("Mitglieder dürfen abstimmen", "Nur Mitglieder dürfen abstimmen."),
        ("5", "| fee | 5 | euros |"),
        ("5 €", "Adults: 5 €\nChildren: 3 €"),
        ("costs 5", "It costs 5 euros."),
        ("weighs 5", "It weighs 5 kg."),
        ("on 5 May", "It opens on 5 May 2020."),
        ("in 2020", "In 2020 15 people came."),
        ("in 2019", "in 2019, 5 people came."),
        ("5-7 days", "Delivery takes 5-7 days."),
        ("1240", "It reaches 1240. 5 people work."),
        ("Wohnfläche 85 m²", "Wohnfläche 85 m², Baujahr 1998"),
        ("1,200 litres", "The tank holds 1,200 litres."),
        ("the tower was sold", "The mayor said that the tower was sold."),
        ("der Turm verkauft wurde", "Der Bürgermeister sagte, dass der Turm verkauft wurde."),
        ("башня была продана", "Известно, что башня была продана."),
        ("Members may vote by post", "Members may vote by post. Only life members may attend."),
        ("members may vote by post", "The hall is only open on Mondays and members may vote by post."),
        ("The fee is 20 EUR", "The old price list is wrong. The fee is 20 EUR."),
        ("The fee is 20 EUR", "It is not heated, and the fee is 20 EUR."),
        ("会员可以投票", "会员可以投票。"),
        ("票价60元", "成人票价60元，学生票价30元。"),
        ("开放时间为9点", "开放时间为9点至17点。"),
        ("the kiln reaches 1240 degrees", "We know that the kiln reaches 1240 degrees."),
        ("la tour a été vendue", "Le maire dit que la tour a été vendue."),
        ("wieża została sprzedana", "Wiadomo, że wieża została sprzedana."),
        ("The desk costs 5 million euros", "The desk costs 5 million euros."),
        ("twenty-five rooms", "There are twenty-five rooms."),
        ("Room 12", "Room 12, second floor"),
        ("9:00", "Open 9:00-17:00"),
        ("1 Jahr", "Garantie: 1 Jahr"),
        ("18 лет", "Минимальный возраст: 18 лет"),
        ("3.2", "Version 3.2"),
        ("Die Gebühr beträgt 20 Euro", "Falsch ist die alte Liste: Die Gebühr beträgt 20 Euro."),
    ],
)
def test_an_honest_short_quote_is_found(quote: str, text: str) -> None:
    assert find_quote(quote, text, claim=quote) is not None


def test_narrowing_words_are_known_in_every_language_that_negations_are_known_in() -> None:
    sections = word_sections("framing.toml")
    assert {language for language, section in sections.items() if section["only"]} == {*word_sections("negation.toml")}


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
