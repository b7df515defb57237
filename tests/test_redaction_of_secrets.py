"""Credentials are found by their form or by the name before them, and prose that only speaks of them is left alone."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.redaction import Redactor

REDACTOR = Redactor()

TOKENS = [
    "gsk_abcdefghijklmnopqrstuvwxyz0123456789ABCDEF",
    "xai-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF",
    "pplx-0123456789abcdef0123456789abcdef",
    "nvapi-abcdefghijklmnopqrst-0123456789",
    "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
    "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH",
    "dop_v1_" + "a1" * 32,
    "glsa_abcdefghijklmnopqrstuvwxyz012345_0a1b2c3d",
    "glrt-abcdefghij0123456789",
    "ya29.a0AfH6SMBx1234567890abcdefghij",
    "xapp-1-A012345-678901234567-abcdef0123456789",
    "dapi" + "0123456789abcdef" * 2,
    "hvs.abcdefghijklmnopqrstuvwx",
    "shpat_" + "0123456789abcdef" * 2,
    "AGE-SECRET-KEY-1" + "Q" * 58,
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
]

NAMED = [
    ("password: {}", "hunter2hunter"),
    ("**Password:** {}", "hunter2hunter"),
    ("`password`: `{}`", "hunter2hunter"),
    ("Password: {}", "P@ssword"),
    ("DB_PASSWORD={}", "Tr0ub4dor&3"),
    ("DB_PASS={}", "geh3im12"),
    ("PGPASSWORD='{}' psql", "Tr0ub4dor & 3"),
    ("pwd={}", "123456"),
    ('{{"password": "{}"}}', "corr3ct horse"),
    ("login --password {} -v", "s3cr3tpw"),
    ("hasło: {}", "Kotek2024!"),
    ("Passwort: {}.", "Sommer2024"),
    ("пароль: {}", "Котик2024"),
    ("Kata laluan: {}", "rahsia99"),
    ("密码：{}请联系", "abc123"),
    ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AccountName=x;AccountKey={};EndpointSuffix=core", "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYg=="),
    ("X-Api-Key: {}", "abcdef0123456789abcdef"),
    ('export OPENAI_API_KEY="{}"', "proj1234567890abcdefgh"),
    ("client_secret: {}", "8a7b6c5d4e3f2a1b0c9d"),
    ("access token: {}", "0af7651916cd43dd8448eb211c80319c"),
    ("deploy --token={} now", "abc1defgh2ijkl3mn"),
    ("Authorization: Token {}", "0af7651916cd43dd8448"),
    ("https://api.example.com/v1?api_key={}&x=1", "abcdef0123456789abcdeg"),
    ("https://api.example.com/v1?a=1&password={}&x=1", "abc123x"),
    ("https://acc.example.net/c?sv=2024&sig={}&x=1", "abcDEF123%2Fabc123xyz%3D"),
    ("redis://{}@cache:6379/0", ":p4ss"),
    ("amqp://{}@h/v", ":secretpw"),
    ("postgres://{}@h/db", "u:p@ss"),
    ("https://hooks.slack.com/services/{}", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
]

PROSE = [
    "password: must have 12 characters; token: the unit of text",
    "Your password: see the letter. The secret: patience.",
    "password: 12 characters at least, password: 8-16 characters, Password (8 characters)",
    "password: SHA-256-hashed, password: Base64-encoded, secret: AES-256-GCM, password: 2FA-protected",
    "Passwort: 12-stellig, Kennwort: Ihr Geburtsdatum TT.MM.JJJJ, Passwort: siehe Brief vom 12.05.2024",
    "Hasło: minimum 12 znaków, lozinka: najmanje 8 znakova, Пароль: не менее 8 символов",
    "密码：至少12个字符。Kata laluan: sekurang-kurangnya 8 aksara",
    "token: GPT-4o counts them, token: cl100k_base encoding, Token: 4096 max., max_tokens=100000",
    "token: text-embedding-3-large-2024, token: claude-opus-4-5-20251101, token: llama3.1-8b-instruct",
    "API key: OAuth2.0 is preferred; access key: F12 opens the menu; signature: electronic, on page 12",
    "password: ${DB_PASSWORD}, password=$DB_PASSWORD, password: <your password>, password: {{ password1 }}",
    "password=os.environ['DB_PASSWORD2'], password=getpass.getpass(), password=None, password: ****1234",
    "api_key=YOUR_API_KEY_HERE_123, api_key: your-api-key-here",
    "secret: projects/my-project/secrets/db-pass/versions/3",
    "access key: see https://docs.example.org/keys/2024",
    "password_length: 12, token_count: 12345678901234567, key=value, password: yes/no, password: 2024-12-01",
    '{"password": "min. 12 characters", "token": "required"}',
    "code: ABCDEF1234567890ABCD",
    "http://host:80/a, mail@x, see https://docs.example.org:8080/a@b and std::vector",
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("around", ["Use {} now.", "({})", "密钥{}。", "key={}", "{}"])
def test_a_token_of_a_known_form_is_replaced_whole(token: str, around: str) -> None:
    assert REDACTOR(around.format(token)) == around.format("[KEY_1]")


@pytest.mark.parametrize(("around", "secret"), NAMED)
def test_a_value_that_its_name_calls_secret_is_replaced_and_its_name_is_left(around: str, secret: str) -> None:
    redacted = REDACTOR(around.format(secret))
    assert redacted == around.format("[KEY_1]")
    assert REDACTOR(redacted) == redacted


@pytest.mark.parametrize("text", PROSE)
def test_prose_that_speaks_of_secrets_is_left_alone(text: str) -> None:
    assert Redactor(kinds=["key"])(text) == text


@given(
    st.sampled_from(["password: ", "DB_PASSWORD=", "hasło: "]),
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=5, max_size=20),
)
def test_a_plain_word_after_a_name_is_left_alone(name: str, word: str) -> None:
    assert REDACTOR(f"{name}{word}.") == f"{name}{word}."


@given(
    st.sampled_from(["X-Api-Key: ", "api_key=", "client_secret = ", "AccountKey=", "https://h/?token="]),
    st.binary(min_size=16, max_size=64),
)
def test_a_random_key_after_a_name_never_survives(name: str, key: bytes) -> None:
    assert key.hex() not in REDACTOR(f"{name}a{key.hex()}f0")


@pytest.mark.parametrize("number", ["PL 61 1090 1014 0000 0712 1981 2874", "DE 89 3704 0044 0532 0130 00"])
def test_an_iban_whose_country_stands_apart_is_found_and_is_the_same_number(number: str) -> None:
    session = REDACTOR.session()
    assert session.redact(f"konto {number}, tak") == "konto [IBAN_1], tak"
    assert session.redact(re.sub(" ", "", number)) == "[IBAN_1]"
    assert REDACTOR(number[:-1] + "9") == number[:-1] + "9"


@pytest.mark.parametrize(
    "unit",
    [
        "password:",
        "password: a1",
        "password: abcdef ",
        "token=",
        "api_key=a1b2",
        "--token ",
        "-",
        "pass",
        "?key=",
        "'password': '",
        "://:",
        "://:@",
        "gsk_",
        "ya29.",
        "1234567890:",
        "密码",
        "PL 61 ",
    ],
)
def test_looking_for_secrets_takes_time_in_proportion_to_the_text(unit: str) -> None:
    """The regular expressions run in C, out of sight of a count of steps: a quadratic one would take minutes here."""
    find = Redactor(kinds=["key", "iban"]).find
    text = (unit * 200_000)[:200_000]
    started = time.process_time()
    find(text)
    assert time.process_time() - started < 5
