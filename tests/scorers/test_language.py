import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.text.language import detect_language, language_family, scripts_of


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "The train to the coast leaves every hour."),
        ("de", "Der Zug zur Küste fährt jede Stunde."),
        ("fr", "Le train pour la côte part toutes les heures."),
        ("es", "El tren a la costa sale cada hora."),
        ("it", "Il treno per la costa parte ogni ora."),
        ("pt", "O comboio para a costa sai a cada hora."),
        ("nl", "De trein naar de kust vertrekt elk uur."),
        ("pl", "Pociąg nad morze odjeżdża co godzinę."),
        ("cs", "Vlak k moři odjíždí každou hodinu."),
        ("ru", "Поезд к морю отправляется каждый час."),
        ("uk", "Потяг до моря вирушає щогодини."),
        ("hr", "Vlak prema moru polazi svakih sat vremena."),
        ("sr", "Воз за море полази сваког сата."),
        ("sl", "Vlak proti morju odpelje vsako uro."),
        ("tr", "Sahile giden tren her saat kalkıyor."),
        ("ar", "يغادر القطار إلى الساحل كل ساعة."),
        ("fa", "قطار به سمت ساحل هر ساعت حرکت می‌کند."),
        ("ur", "ساحل کی ٹرین ہر گھنٹے روانہ ہوتی ہے۔"),
        ("he", "הרכבת לחוף יוצאת כל שעה."),
        ("hi", "तट की ट्रेन हर घंटे चलती है।"),
        ("zh", "去海边的火车每小时一班。"),
        ("ja", "海岸行きの電車は毎時出ます。"),
        ("ko", "해안으로 가는 기차는 매시간 출발합니다."),
        ("id", "Kereta ke pantai berangkat setiap jam."),
        ("vi", "Tàu ra bờ biển khởi hành mỗi giờ."),
        ("th", "รถไฟไปชายฝั่งออกทุกชั่วโมง"),
        ("el", "Το τρένο για την ακτή φεύγει κάθε ώρα."),
        ("hu", "A tengerpartra óránként indul vonat."),
        ("ro", "Trenul spre coastă pleacă la fiecare oră."),
        ("bg", "Влакът за морето тръгва на всеки час."),
    ],
)
def test_a_sentence_is_enough_to_tell_its_language(code: str, text: str) -> None:
    assert language_family(detect_language(text)) == language_family(code)


@pytest.mark.parametrize(
    "text", ["", "  ", "42", "12:30 – 14:00", "OK", "🙂", "https://example.org/der-die-das", "`return None`"]
)
def test_too_little_text_is_undetermined(text: str) -> None:
    assert detect_language(text) == "und"


def test_code_and_addresses_do_not_decide() -> None:
    assert (
        detect_language(
            "Установите этот пакет и запустите сервер: `pip install something-with-a-long-name` https://example.org/how-to-install"
        )
        == "ru"
    )


def test_japanese_is_not_taken_for_chinese_when_it_has_few_kana() -> None:
    assert detect_language("東京都庁舎第一本庁舎展望室の営業時間変更") == "ja"
    assert detect_language("东京都政府大楼的开放时间") == "zh"


def test_near_identical_languages_share_a_family() -> None:
    assert language_family("bs") == language_family("hr") == language_family("sr") == "hbs"
    assert language_family("ms") == language_family("id") == "msa"
    assert language_family("en") == "en"


def test_scripts_are_named() -> None:
    assert scripts_of("Abc где") == {"Latin", "Cyrillic"}


@given(st.text(max_size=200))
def test_any_text_gets_a_short_code(text: str) -> None:
    assert 2 <= len(detect_language(text)) <= 3
