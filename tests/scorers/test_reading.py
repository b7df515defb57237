import tomllib
from pathlib import Path

import pytest

from ragsonde.collector.model import Capture
from ragsonde.scorers.score import Reason
from tests.scorers.reading_builders import plain_claims, reading

FORMALITIES = tomllib.loads((Path(__file__).parent / "data" / "formalities.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "  \n\t",
        "[]",
        "{}",
        "[ ]",
        "N/A",
        "n/a",
        "n / a",
        "null",
        "None",
        "NaN",
        "-",
        "—",
        "…",
        "...",
        '""',
        "<empty>",
        "**",
        ".",
    ],
)
def test_a_stand_in_for_nothing_is_an_empty_answer(answer: str) -> None:
    found = reading(answer)
    assert found.not_scorable_answer() is Reason.EMPTY_ANSWER
    assert found.claims == ()
    assert not found.abstention.answered
    assert not found.abstention.refusal


@pytest.mark.parametrize(
    "answer", ["42", "Paris", "No.", "否", "نعم", "5 %", "None of the plans include it.", "N/A applies to plan B."]
)
def test_a_short_answer_is_a_claim(answer: str) -> None:
    assert reading(answer).not_scorable_answer() is None


def test_reasons_come_in_order() -> None:
    assert reading("I don't know.").not_scorable_answer() is Reason.REFUSAL
    assert reading("Hi. I'm here to help.").not_scorable_answer() is Reason.NO_CLAIMS
    assert reading("What do you mean?").not_scorable_answer() is Reason.NO_CLAIMS
    assert reading("The fee is 20 EUR.").not_scorable_answer() is None
    assert reading(None).unscorable(needs_contexts=False) is Reason.INCOMPLETE
    assert (
        reading("a", None, capture=Capture.CONTEXTS_NOT_CAPTURED).unscorable(needs_contexts=True)
        is Reason.CONTEXTS_NOT_CAPTURED
    )


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Hello! The university was founded in 1817. It has 20,000 students.", 2),
        ("Dzień dobry! Biblioteka jest czynna od 9 do 17. Czy mogę jeszcze w czymś pomóc?", 1),
        ("Здравствуйте! Библиотека открыта с 9 до 17. Если у вас возникнут вопросы, обращайтесь.", 1),
        ("您好！图书馆九点开门。希望对您有帮助！", 1),
        ("Bonjour, la bibliothèque ouvre à 9 heures. N'hésitez pas à me demander plus de détails.", 1),
        ("Guten Tag! Die Bibliothek öffnet um 9 Uhr. Ich hoffe, das hilft Ihnen weiter!", 1),
        ("Zdravo! Biblioteka radi od 9 do 17. Nadam se da je ovo pomoglo.", 1),
        ("Selamat pagi! Perpustakaan buka pukul 9. Semoga membantu!", 1),
        ("Merhaba! Kütüphane saat 9'da açılır. Umarım yardımcı olmuştur.", 1),
        ("こんにちは！図書館は9時に開きます。他にご質問はありますか？", 1),
    ],
)
def test_formalities_and_questions_back_are_no_claims(answer: str, expected: int) -> None:
    found = reading(answer)
    assert len(found.claims) == expected
    assert not found.abstention.refusal


@pytest.mark.parametrize("sentence", FORMALITIES["nothing"])
def test_pleasantries_and_pointers_state_nothing(sentence: str) -> None:
    assert reading(sentence).not_scorable_answer() is Reason.NO_CLAIMS


@pytest.mark.parametrize("sentence", FORMALITIES["states"])
def test_what_only_sounds_like_a_pleasantry_or_pointer_is_a_claim(sentence: str) -> None:
    assert reading(sentence).claims


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Fill in the form [TODO].", "Fill in the form."),
        ("[DRAFT] The fee is 20 EUR [TBD: ask sales].", "The fee is 20 EUR."),
        ("Das Formular ist zu unterschreiben [OFFEN].", "Das Formular ist zu unterschreiben."),
        ("Плата 20 евро [УТОЧНИТЬ].", "Плата 20 евро."),
        ("费用是20欧元【待定】。", "费用是20欧元。"),
        ("The fee is due [ZZGL].", "The fee is due."),
        ("- [x] Fill in the form", "Fill in the form"),
        ("- [ ] Sign the form", "Sign the form"),
    ],
)
def test_an_editor_s_tag_is_no_part_of_a_claim(answer: str, expected: str) -> None:
    found = reading(answer, {"a": "The form is due."})
    assert [claim.plain for claim in found.claims] == [expected]
    assert found.markers == ()


@pytest.mark.parametrize(
    "answer",
    [
        "Set arr[TODO] first.",
        "He [Smith] left.",
        "The agency [NASA] paid.",
        "Write `[TODO]` there.",
        "Lines say [FORM].",
    ],
)
def test_brackets_that_say_something_stay_in_the_claim(answer: str) -> None:
    assert [claim.plain for claim in reading(answer, {"a": "The FORM is due."}).claims] == [answer.replace("`", "")]


def test_structure_without_statements_is_left_out() -> None:
    answer = (
        "## Fees\n\n**Overview:**\n\nHere are the steps:\n\n1. **Open** the [form](https://example.org).\n"
        "2. Sign it.\n\n"
        "```python\nprint(1)\n```\n\n| Plan | Price |\n|---|---|\n| Basic | `20` EUR |\n"
    )
    assert plain_claims(answer) == ["Open the form.", "Sign it.", "Plan: Basic; Price: 20 EUR"]


def test_claims_are_cut_out_of_the_answer_verbatim() -> None:
    answer = "Hi!\r\n\r\n* It **costs** 20 EUR [1].\r\n* Entry\u00a0is free <b>today</b> (see [2])."
    found = reading(answer, {"a": "x", "b": "y"})
    assert all(answer[claim.start : claim.end] == claim.text for claim in found.claims)
    assert [claim.plain for claim in found.claims] == ["It costs 20 EUR.", "Entry is free today."]


def test_a_colon_after_a_fact_is_no_lead_in() -> None:
    assert (
        plain_claims(
            "The plan has 3 limits, introduced in 2019 and raised twice since then by the board of the company:"
        )
        != []
    )
    assert plain_claims("Price: 20 EUR") == ["Price: 20 EUR"]


def test_a_quoted_question_does_not_make_a_sentence_one() -> None:
    assert plain_claims('Ask yourself, "What is the evidence?"') != []
    assert plain_claims('"What is the evidence?"') == []


def test_lists_of_sources_are_no_claims() -> None:
    assert plain_claims("The fee is 20 EUR [1].\n\nSources:\n[1] handbook.pdf\n[2] https://example.org/a") == [
        "The fee is 20 EUR."
    ]
    assert plain_claims("La tarifa es 20 EUR.\n\nFuente: manual.pdf") == ["La tarifa es 20 EUR."]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("You need these papers.\n\nRequired documents:\n- Passport\n- Two photos", 3),
        ("Documents: passport and two photos.", 1),
        ("Sources:\n- Oranges\n- Red peppers", 2),
        ("Energy sources:\n- Sun\n- Wind", 2),
    ],
)
def test_a_list_that_was_asked_for_is_no_list_of_sources(answer: str, expected: int) -> None:
    assert len(reading(answer).claims) == expected


def test_a_table_row_loses_its_citation_markers() -> None:
    assert plain_claims("| Plan | Price |\n|---|---|\n| Basic | 20 EUR [1] |\n| Plus | |") == [
        "Plan: Basic; Price: 20 EUR",
        "Plan: Plus",
    ]


def test_context_sentences_follow_the_documents() -> None:
    found = reading("a", {"x": "One. Two.", "y": None, "z": ""})
    assert [[sentence.text for sentence in document] for document in found.context_sentences] == [["One.", "Two."], []]
    assert reading("a", None).context_sentences == ()


def test_language_is_the_question_s_where_the_answer_has_no_words() -> None:
    assert reading("42", question="Wie viele Tage dauert die Rückgabe?").language == "de"
    assert reading("Povrat traje pet dana od primitka robe.").language_family == "hbs"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>R&amp;D cost 4&nbsp;million.</p>", "<p>R&D cost 4\u00a0million.</p>"),
        ("<p>L&#8217;entr&#xe9;e</p>", "<p>L’entrée</p>"),
        ("<p>Write &lt;b&gt; &amp;c.</p>", "<p>Write &lt;b&gt; &c.</p>"),
        ("<p>AT&T; a & b; &unknownentity; &#0;</p>", "<p>AT&T; a & b; &unknownentity; \ufffd</p>"),
        ("In HTML, write &amp; for an ampersand.", "In HTML, write &amp; for an ampersand."),
    ],
)
def test_entities_are_read_where_a_document_is_marked_up(text: str, expected: str) -> None:
    found = reading("Yes.", {"a": text, "b": None})
    assert [document.text for document in found.contexts or ()] == [expected, None]
    assert [(document.id, document.text) for document in found.documents or ()] == [("a", expected)]
    assert found.interaction.contexts is not None
    assert found.interaction.contexts[0].text == text
