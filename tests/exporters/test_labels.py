import threading

import pytest

from ragsonde.exporters.labels import LabelLimit, LabelPolicy, LabelsConfig
from tests.builders import interaction

HOSTILE = [
    'line\nbreak"} 1',
    "tab\there",
    'quote"d',
    "back\\slash",
    "x" * 10_000,
    "https://example.org/users/42?token=abc",
    "www.example.org",
    "/var/run/secrets/token",
    "jana.nowak@example.org",
    "9b2d7c1e-4f5a-4e8b-9c3d-2a1b0c9d8e7f",
    "4bf92f3577b34da6a3ce929d0e0e4736",
    "user-4917612345678",
    "user-48291",
    "User ID: 482",
    "customer_10482",
    "session/8812",
    "usr_8f3kq9zz",
    "пользователь-48291",
    "用户48291",
    "kunde 48291",
    "shop-7d9f8b6c5d-x2x4q",
    "9f86d081",
    "01HF8Z3K7Q2M4N6P8R0S2T4V6X",
    "12345678",
    "1-2-3-4-5",
    "48291",
    "order 99120",
    "api.example.com/users/48291",
    "api.example.com/users/jana",
    "api.example.com:8080/v1/chat",
    "users/48291/orders",
    "2001:db8::1",
    "fe80::1%eth0",
    "::1",
    "[2001:db8::1]:4318",
    "00:1a:2b:3c:4d:5e",
    "+48 601 234 567",
    "601 234 567",
    "call +1 555 0100 200",
    "192.168.17.4",
    "host 10.0.0.7:4318",
    "zero\u200bwidth",
    "rtl\u202eoverride",
    "nul\x00byte",
    "{app=~'.*'}",
    "💥💥",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_that_is_no_name_counts_as_other(value: str) -> None:
    assert LabelLimit(None, 10)(value) == "other"


@pytest.mark.parametrize(
    "value",
    [
        "shop",
        "shop-eu.v2",
        "gpt-4o-2024-08-06",
        "claude-3-5-sonnet-20241022",
        "meta-llama/Llama-3.1-8B",
        "accounts/fireworks/models/llama-v3p1-8b-instruct",
        "anthropic.claude-3-sonnet-20240229-v1:0",
        "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
        "deepseek-r1-0528",
        "doubao-pro-32k-241215",
        "gemini-2.5-flash-preview-04-17",
        "gpt-3.5-turbo-16k-0613",
        "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4",
        "mixtral-8x7b-32768",
        "mistralai/Mixtral-8x22B-Instruct-v0.1",
        "Qwen/Qwen3-235B-A22B-Instruct-2507",
        "qwen-max-240919",
        "text-embedding-ada-002",
        "x.ai/grok-beta",
        "client-portal",
        "user-service",
        "orders-v2",
        "prod-eu-west-1",
        "k8s-prod",
        "2024-Q3",
        "shop-42",
        "rag.example.com",
        "localhost:4318",
        "obsługa klienta",
        "客服",
        "مساعد",
    ],
)
def test_names_in_any_script_pass(value: str) -> None:
    assert LabelLimit(None, 10)(value) == value


@pytest.mark.parametrize("value", [None, "", "   "])
def test_what_was_not_said_is_unknown(value: str | None) -> None:
    assert LabelLimit(None, 10)(value) == "unknown"


def test_only_the_first_values_have_labels_of_their_own() -> None:
    limit = LabelLimit(None, 2)
    assert [limit(value) for value in ("a", "b", "c", "a", "unknown")] == ["a", "b", "other", "a", "unknown"]


def test_with_a_list_only_listed_values_pass_however_they_look() -> None:
    limit = LabelLimit(["shop", "http://legacy"], 100)
    assert [limit(value) for value in ("shop", "http://legacy", "help")] == ["shop", "http://legacy", "other"]


def test_two_spellings_of_one_name_are_one_value() -> None:
    limit = LabelLimit(None, 10)
    assert limit("cafe\u0301") == limit("caf\u00e9") == "caf\u00e9"


def test_the_limit_holds_under_concurrent_first_sights() -> None:
    limit = LabelLimit(None, 5)
    seen: set[str] = set()

    def work(number: int) -> None:
        for value in range(50):
            seen.add(limit(f"app-{number}-{value}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen - {"other"}) == 5


def test_beyond_the_limit_of_combinations_the_language_is_given_up_first() -> None:
    policy = LabelPolicy(LabelsConfig(max_scopes=1))
    shop = interaction(app="shop", environment="prod")
    assert policy.scope(shop, "pl").language == "pl"
    assert policy.scope(shop, "de").language == "other"
    assert policy.scope(shop, "de").app == "shop"
    assert policy.scope(shop, "pl").language == "pl"


@pytest.mark.parametrize("language", ["en", "pl", "ru", "bs", "hr", "ms", "zh", "hu", "ta"])
def test_every_language_that_can_be_told_has_series_of_its_own(language: str) -> None:
    assert LabelPolicy(LabelsConfig()).scope(interaction(), language).language == language


def test_a_language_outside_the_set_counts_as_other() -> None:
    policy = LabelPolicy(LabelsConfig())
    assert policy.scope(interaction(), "zh-Hant").language == "zh"
    assert policy.scope(interaction(), "javascript:alert(1)").language == "other"
