import base64
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from ragsonde.review.web.reviewer import COOKIE, MAX_CHARACTERS, clean_name, cookie_value, reviewer_of


def request(cookie: str | None = None, authorization: str | None = None) -> Request:
    headers = [(b"cookie", f"{COOKIE}={cookie}".encode())] if cookie is not None else []
    headers += [(b"authorization", authorization.encode())] if authorization is not None else []
    return Request({"type": "http", "headers": headers})


@given(st.text(max_size=100))
def test_a_name_survives_its_cookie(name: str) -> None:
    cleaned = clean_name(name)
    assert reviewer_of(request(cookie_value(cleaned))) == (cleaned or None)


@given(st.text())
def test_a_name_holds_nothing_that_cannot_be_seen(name: str) -> None:
    cleaned = clean_name(name)
    assert len(cleaned) <= MAX_CHARACTERS
    assert not any(unicodedata.category(character).startswith("C") for character in cleaned)


def test_the_user_of_http_basic_is_the_reviewer_until_a_name_is_given() -> None:
    basic = "Basic " + base64.b64encode("Zoë:secret".encode()).decode()
    assert reviewer_of(request(None, basic)) == "Zoë"
    assert reviewer_of(request("Anna", basic)) == "Anna"


@pytest.mark.parametrize("header", ["", "Basic", "Basic !!", "Bearer abc", "Basic " + base64.b64encode(b":p").decode()])
def test_nobody_is_nobody(header: str) -> None:
    assert reviewer_of(request(None, header)) is None
