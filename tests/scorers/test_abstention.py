import tomllib
from pathlib import Path

import pytest

from ragsonde.scorers.text.abstention import ClauseRole, blank_quotes, clause_role, cue_languages, split_clauses
from ragsonde.scorers.text.cues import CueFile, compile_cue, fold_for_cues
from tests.scorers.reading_builders import plain_claims, reading

DATA = Path(__file__).parent / "data"
SHORT = tomllib.loads((DATA / "abstention.toml").read_text(encoding="utf-8"))
FORMS = tomllib.loads((DATA / "abstention_forms.toml").read_text(encoding="utf-8"))
LONGER = tomllib.loads((DATA / "abstention_longer.toml").read_text(encoding="utf-8"))
REQUIRED = frozenset(
    "en de fr es it pt nl pl cs ru uk hbs sl tr ar fa he hi zh ja ko msa vi th".split()  # noqa: SIM905 - a list of 24 codes reads best so
)


def cases(data: dict[str, dict[str, list[str]]], kind: str) -> list[tuple[str, str]]:
    return [(language, text) for language, section in data.items() for text in section.get(kind, ())]


@pytest.mark.parametrize(("language", "answer"), cases(SHORT, "refuses") + cases(LONGER, "refuses"))
def test_an_abstention_is_a_pure_refusal(language: str, answer: str) -> None:
    found = reading(answer)
    assert found.abstention.pure, found.claims
    assert found.abstention.cue is not None
    cue = found.abstention.cue
    assert answer[cue.start : cue.end] == cue.text


@pytest.mark.parametrize(("language", "answer"), cases(SHORT, "states") + cases(LONGER, "states"))
def test_a_statement_is_no_refusal_however_negative(language: str, answer: str) -> None:
    found = reading(answer)
    assert not found.abstention.refusal, found.abstention.cue
    assert found.claims


@pytest.mark.parametrize("answer", FORMS["refuses"])
def test_source_negation_and_verb_of_saying_make_an_abstention(answer: str) -> None:
    found = reading(answer)
    assert found.abstention.pure, found.claims


@pytest.mark.parametrize("answer", FORMS["states"])
def test_a_negative_fact_of_the_subject_matter_is_a_claim(answer: str) -> None:
    found = reading(answer)
    assert not found.abstention.refusal, found.abstention.cue


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("In its summary the report does not mention penalties at all.", "The report does not mention penalties."),
        ("Der Text nennt keinen Verfasser.", "Der Text nennt keinen Verfasser."),
        ("Кто построил мост, в летописи не указано.", "Кто построил мост, не указано."),
        ("该文件没有提到押金，也没有提到租期。", "文件没有提到押金。"),
    ],
)
def test_what_a_context_says_itself_is_no_abstention(context: str, answer: str) -> None:
    assert reading(answer, {"a": "The pool is open."}).abstention.pure
    found = reading(answer, {"a": context})
    assert not found.abstention.refusal
    assert len(found.claims) == 1


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The policy does not cover flood damage.", "Flood damage is not covered by the policy."),
        ("The guide does not mention the north face.", "The north face is not mentioned in the guide."),
        ("El tratado no menciona las islas.", "Las islas no se mencionan en el tratado."),
        ("Il contratto non menziona la consegna.", "La consegna non è menzionata nel contratto."),
        ("Le contrat ne mentionne pas la livraison.", "La livraison n'est pas mentionnée dans le contrat."),
        ("Umowa nie wspomina o dostawie.", "W umowie nie ma mowy o dostawie."),
        ("Der Vertrag erwähnt die Lieferung nicht.", "Die Lieferung wird im Vertrag nicht erwähnt."),
        ("保险不包括水灾。", "水灾不在保险范围内。"),
    ],
)
def test_what_a_context_leaves_out_in_other_words_is_no_abstention(context: str, answer: str) -> None:
    found = reading(answer, {"a": context})
    assert not found.abstention.refusal
    assert len(found.claims) == 1


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The policy covers flood damage.", "Flood damage is not covered by the policy."),
        ("The guide does not mention the south wall.", "The north face is not mentioned in the guide."),
        ("The policy does not cover flood damage.", "The policy does not say how long flood damage takes to settle."),
        ("The policy does not cover flood damage.", "The context does not mention flood damage."),
        ("Las islas no pertenecen al reino.", "Las islas no se mencionan en el tratado."),
    ],
)
def test_an_omission_that_no_context_tells_of_stays_an_abstention(context: str, answer: str) -> None:
    assert reading(answer).abstention.refusal == reading(answer, {"a": context}).abstention.refusal


def test_a_stand_in_before_an_abstention_is_no_claim() -> None:
    assert reading("N/A - the context does not contain this.").abstention.pure
    assert reading("N/A. The context does not contain this.").abstention.pure
    assert plain_claims("None. All rooms are free.") == ["None.", "All rooms are free."]


@pytest.mark.parametrize(
    "answer",
    [
        "Мост открыт в 1932 году. Кто его построил, не указано.",
        "Le pont a été inauguré en 1932. On ne précise pas qui l'a construit.",
        "Köprü 1932'de açıldı. Kimin yaptığı belirtilmemiş.",
        "Most je otvoren 1932. godine. Ne navodi se ko ga je sagradio.",
        "Jambatan dibuka pada 1932. Tidak dinyatakan siapa yang membinanya.",
        "افتتح الجسر عام 1932. لم يُذكر من بناه.",
        "No consta quién diseñó el puente. El puente se inauguró en 1932.",
        "Most otwarto w 1932 roku. Nie podano, kto go zbudował.",
        "大桥于1932年开通。没有说明是谁建的。",
    ],
)
def test_what_is_not_told_beside_a_fact_makes_a_partial_refusal(answer: str) -> None:
    found = reading(answer)
    assert found.abstention.partial
    assert [claim.plain for claim in found.claims if "1932" in claim.plain] == [claim.plain for claim in found.claims]


@pytest.mark.parametrize(("language", "answer"), cases(LONGER, "both"))
def test_facts_beside_a_refusal_are_kept_and_the_refusal_flagged(language: str, answer: str) -> None:
    found = reading(answer)
    assert found.abstention.partial
    assert len(found.claims) == 1
    assert any(digit in found.claims[0].plain for digit in ("25", "10", "۲۵", "۱۰"))


def test_every_promised_language_has_cues_for_every_meaning() -> None:
    file = CueFile("abstention.toml", frozenset({"conditional", "follows_not", "contrast", "concessive"}))
    assert set(file.codes) >= REQUIRED
    for code in file.codes:  # compiles each
        cues = file.language(code)
        assert {"unable", "absent", "hedge", "contact"} <= set(cues.patterns), code
        assert {"conditional", "contrast", "concessive"} <= set(cues.words), code
    for code in CueFile("formalities.toml").codes:
        assert {"greeting", "offer", "lead_in"} <= set(CueFile("formalities.toml").language(code).patterns)


@pytest.mark.parametrize(
    "answer",
    [
        'He said "I don\'t know" and left the room.',
        "The error message reads “No results were found”.",
        "Die Meldung lautet „Ich weiß es nicht“ und erscheint oft.",
        "错误提示为「我不知道」并会消失。",
        "> I don't know\n\nThe line above is the default reply.",
    ],
)
def test_quoted_speech_is_not_the_speaker_s_own(answer: str) -> None:
    assert not reading(answer).abstention.refusal


def test_an_answer_that_is_one_quote_is_read() -> None:
    assert reading('"I don\'t know."').abstention.pure


def test_a_hedge_alone_abstains_and_before_an_answer_does_not() -> None:
    assert reading("I'm not sure.").abstention.pure
    found = reading("I can't be sure, but the fee is 20 EUR [1].")
    assert not found.abstention.refusal
    assert plain_claims("I can't be sure, but the fee is 20 EUR [1].") == ["the fee is 20 EUR."]


def test_an_abstention_that_cites_proof_of_absence_is_one() -> None:
    found = reading("Only the heading exists in the index, not the rule itself [2].", {"a": "x", "b": "y"})
    assert found.abstention.pure
    assert len(found.markers) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "The documents only list rule 14 in the index; the text of the rule itself is not included [1].",
        "Only the title of rule 14 appears in the index, the rule's wording is missing [1].",
        "Solo aparece el título de la regla 14 en el índice, no su contenido [1].",
        "В документах есть только заголовок правила 14, самого текста нет [1].",
        "Maaf, maklumat itu tiada dalam dokumen.",
        "Het spijt me, dat staat niet in de documenten.",
        "Section 12 appears only in the table of contents [1]; its wording is not among the passages I have.",
        "Пункт 12 упомянут лишь в оглавлении [1], сам текст в документах отсутствует.",
        "Paragraf 12 wird nur im Inhaltsverzeichnis genannt [1], der Wortlaut selbst liegt mir nicht vor.",
        "El artículo 12 solo figura en el índice [1]; su texto no está disponible en los documentos.",
    ],
)
def test_a_bare_heading_is_proof_of_absence(answer: str) -> None:
    assert reading(answer).abstention.pure


def test_a_referral_is_no_claim_after_a_refusal_but_is_one_alone() -> None:
    assert reading("I don't have that information. Please call support at 555-0100.").abstention.pure
    assert plain_claims("Please call support at 555-0100.") == ["Please call support at 555-0100."]


def test_the_second_half_of_a_concession_is_a_statement() -> None:
    answer = "While the provided context doesn't mention the fee, it states that entry is limited."
    assert reading(answer).abstention.partial
    assert plain_claims(answer) == ["it states that entry is limited."]


def test_a_fact_before_a_but_is_kept() -> None:
    answer = "The fee is 20 EUR, but I don't know about the tax."
    assert reading(answer).abstention.partial
    assert plain_claims(answer) == ["The fee is 20 EUR"]


def test_clauses_keep_their_offsets() -> None:
    sentence = "Ich weiß es nicht genau, aber die Gebühr beträgt 20 Euro; mehr nicht."
    clauses = split_clauses(sentence, cue_languages(sentence, "de"))
    assert [sentence[start:end] for start, end in clauses] == [
        "Ich weiß es nicht genau",
        "die Gebühr beträgt 20 Euro",
        "mehr nicht.",
    ]


def test_blanking_quotes_keeps_the_length() -> None:
    text = "A “b c” d „e“ f «g» h 「i」 j 'k l' m don't"
    blanked = blank_quotes(text)
    assert len(blanked) == len(text)
    assert "".join(blanked.split()) == "Adfhjmdon't"


def test_folding_for_cues_ignores_accents_apostrophes_and_contractions() -> None:
    assert fold_for_cues("Я не нашёл") == fold_for_cues("я не нашел")
    assert fold_for_cues("I CAN’T") == fold_for_cues("i cannot") == "i can not"
    assert fold_for_cues("لا أعرف") == fold_for_cues("لا اعرف")
    assert fold_for_cues("नहीं") == "नहीं".casefold()


def test_the_cue_language_refuses_a_name_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="@nothing"):
        compile_cue("@nothing says", {}, spaced=True)


def test_a_condition_is_no_abstention() -> None:
    sentence = "If no information is found, the form shows a warning."
    assert clause_role(sentence, cue_languages(sentence, "en")) is ClauseRole.OTHER


@pytest.mark.parametrize(
    "answer",
    [
        "К сожалению, в предоставленных материалах этого нет.",
        "В документах этого нет.",
        "В тексте нет ответа на этот вопрос.",
        "Этого в источниках нет.",
        "Unfortunately, that is not in the materials provided.",
        "This is not in the documents.",
        "It is not in the sources I was given.",
        "Leider steht das nicht in den Unterlagen.",
        "Das steht nicht in den bereitgestellten Dokumenten.",
        "Dazu steht nichts in den Quellen.",
        "Das ist in den Dokumenten nicht enthalten.",
        "Malheureusement, cela ne figure pas dans les documents fournis.",
        "Ce n'est pas dans les documents.",
        "Les documents n'en parlent pas.",
        "Lamentablemente, eso no está en los documentos.",
        "Eso no aparece en los materiales proporcionados.",
        "Los documentos no dicen nada al respecto.",
        "Purtroppo questo non è nei documenti forniti.",
        "I documenti non ne parlano.",
        "Non c'è nulla al riguardo nei documenti.",
        "Infelizmente, isso não está nos documentos.",
        "Isso não consta dos materiais fornecidos.",
        "Os documentos não falam disso.",
        "Helaas staat dat niet in de documenten.",
        "Dat staat niet in de aangeleverde bronnen.",
        "De documenten zeggen daar niets over.",
        "Niestety nie ma tego w dostarczonych materiałach.",
        "Tego nie ma w dokumentach.",
        "W dokumentach nic o tym nie ma.",
        "Bohužel to v poskytnutých materiálech není.",
        "V dokumentech o tom nic není.",
        "To v podkladech není uvedeno.",
        "Žiaľ, v poskytnutých materiáloch to nie je.",
        "V dokumentoch o tom nič nie je.",
        "Nažalost, toga nema u dostavljenim materijalima.",
        "U dokumentima o tome nema ništa.",
        "Toga nema u dokumentima.",
        "Нажалост, тога нема у документима.",
        "На жаль, у наданих матеріалах цього немає.",
        "У документах цього немає.",
        "Документи про це нічого не кажуть.",
        "Maalesef bu, sağlanan belgelerde yok.",
        "Belgelerde bu konuda bir şey yok.",
        "Bu bilgi belgelerde bulunmuyor.",
        "Maaf, perkara itu tiada dalam dokumen yang diberikan.",
        "Sayangnya, hal itu tidak ada dalam dokumen.",
        "Dokumen tidak menyebut perkara ini.",
        "很遗憾，所提供的资料中没有这方面的内容。",
        "文件里没有。",
        "资料中没有提到。",
        "申し訳ありませんが、資料にはありません。",
        "提供された資料には記載がありません。",
        "それは文書に載っていません。",
        "죄송하지만 제공된 자료에 없습니다.",
        "문서에 그 내용이 없습니다.",
        "자료에 나와 있지 않습니다.",
        "ขออภัย ไม่มีในเอกสารที่ให้มา",
        "เอกสารไม่ได้กล่าวถึงเรื่องนี้",
        "ไม่พบข้อมูลนี้ในเอกสาร",
        "للأسف، هذا غير موجود في المستندات المقدمة.",
        "لا يوجد ذلك في الوثائق.",
        "المستندات لا تذكر ذلك.",
        "متأسفانه این در اسناد ارائه‌شده نیست.",
        "در اسناد چیزی در این باره نیامده است.",
        "Tyvärr finns det inte i dokumenten.",
        "Det står inte i underlaget.",
        "Desværre står det ikke i dokumenterne.",
        "Dessverre står det ikke i dokumentene.",
        "Valitettavasti sitä ei ole asiakirjoissa.",
        "Sajnos ez nincs a dokumentumokban.",
        "Din păcate, acest lucru nu se află în documente.",
        "Δυστυχώς αυτό δεν υπάρχει στα έγγραφα.",
    ],
)
def test_that_the_sources_do_not_hold_it_is_a_pure_refusal(answer: str) -> None:
    found = reading(answer, {"d": "The tram depot is closed in July."})
    assert found.abstention.pure


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("The village is not mentioned before 1200.", "The village is not mentioned before 1200."),
        (
            "The village was founded by monks. It is not mentioned in any charter before 1200.",
            "The village is not mentioned before 1200.",
        ),
        ("Das Dorf wird vor 1200 nicht erwähnt.", "Vor 1200 wird das Dorf nicht erwähnt."),
        ("Die genaue Zahl der Opfer ist nicht bekannt.", "Die genaue Zahl der Opfer ist nicht bekannt."),
        (
            "Beim Brand starben viele Menschen; die genaue Zahl der Opfer ist nicht bekannt.",
            "Die genaue Opferzahl ist unbekannt.",
        ),
        ("The exact number of victims is not known.", "The exact number of victims is not known."),
        ("The exact number of victims is unknown.", "The exact number of victims is not known."),
        ("The author of the poem is unknown.", "It is not known who wrote the poem."),
        ("Le nombre exact des victimes n'est pas connu.", "On ne connaît pas le nombre exact des victimes."),
        ("No se conoce el número exacto de víctimas.", "El número exacto de víctimas no se conoce."),
        ("Il numero esatto delle vittime non è noto.", "Non è noto il numero esatto delle vittime."),
        ("O número exato de vítimas não é conhecido.", "Não se conhece o número exato de vítimas."),
        ("Dokładna liczba ofiar nie jest znana.", "Nie jest znana dokładna liczba ofiar."),
        ("Přesný počet obětí není znám.", "Není znám přesný počet obětí."),
        ("Точное число жертв неизвестно.", "Точное число жертв не известно."),
        ("Точна кількість жертв невідома.", "Точна кількість жертв невідома."),
        ("Tačan broj žrtava nije poznat.", "Nije poznat tačan broj žrtava."),
        ("Kurbanların kesin sayısı bilinmiyor.", "Kurbanların kesin sayısı bilinmemektedir."),
        ("Jumlah mangsa sebenar tidak diketahui.", "Jumlah sebenar mangsa tidak diketahui."),
        ("遇难者的确切人数不明。", "遇难者的确切人数不明。"),
        ("犠牲者の正確な数は分かっていません。", "犠牲者の正確な数は分かっていません。"),
        ("العدد الدقيق للضحايا غير معروف.", "العدد الدقيق للضحايا غير معروف."),
        ("Село не упоминается до 1200 года.", "До 1200 года село не упоминается."),
        ("Le village n'est pas mentionné avant 1200.", "Avant 1200, le village n'est pas mentionné."),
        ("保险不包括水灾。", "水灾不在保险范围内。"),
        ("The warranty does not include batteries.", "Batteries are not included in the warranty."),
        ("The report does not mention penalties.", "Penalties are not mentioned in the report."),
        ("The standard plan does not provide support.", "Support is not provided in the standard plan."),
        (
            "Details of the design were not disclosed by the company.",
            "The company did not disclose details of the design.",
        ),
        ("The price is not listed in the catalogue.", "The catalogue does not list the price."),
        ("本保险不承保地震。", "地震不在承保范围内。"),
        ("此药不适用于儿童。", "儿童不适用此药。"),
    ],
)
def test_what_the_contexts_leave_open_themselves_is_a_fact(context: str, answer: str) -> None:
    found = reading(answer, {"d": context})
    assert not found.abstention.refusal
    assert found.claims


@pytest.mark.parametrize(
    "answer",
    [
        "ค่าห้องคืนละ 500 บาท ไม่มีข้อมูลเกี่ยวกับเวลาเช็คอิน",
        "ค่าห้องคืนละ 500 บาท ส่วนเวลาเช็คอินไม่มีข้อมูล",
        "ค่าห้องคืนละ 500 บาท ฉันไม่ทราบเวลาเช็คอิน",
    ],
)
def test_a_thai_clause_that_abstains_leaves_the_fact_before_it(answer: str) -> None:
    found = reading(answer)
    assert found.abstention.refusal
    assert [claim.plain for claim in found.claims] == ["ค่าห้องคืนละ 500 บาท"]
