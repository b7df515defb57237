import pytest

from tests.review.web.conftest import OWN, Place
from tests.review.web.elements import Elements

FORMS = [
    ("/review/next", {}),
    ("/review/undo", {}),
    ("/review/reviewer", {"name": "Eve"}),
    ("/review/items/{id}", {"action": "save", "verdict": "supported"}),
    ("/review/items/{id}", {"action": "dismiss"}),
    ("/review/items/{id}", {"action": "undo"}),
]


@pytest.mark.parametrize(("path", "fields"), FORMS)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://testserver.evil.example"},
    ],
)
def test_what_comes_from_elsewhere_changes_nothing(
    place: Place, path: str, fields: dict[str, str], headers: dict[str, str]
) -> None:
    anna, first = place.person(), place.ids()[0]
    response = anna.post(path.format(id=first), data=fields | {"token": anna.token}, headers=headers)
    assert response.status_code == 403
    assert place.store.item(first).reviews == ()
    assert place.store.item(first).state == "open"
    assert "Eve" not in Elements(anna.get("/review").text).text  # drawn tokens may well hold these letters


@pytest.mark.parametrize("token", [None, "", "guessed"])
def test_a_form_without_the_page_s_token_changes_nothing(place: Place, token: str | None) -> None:
    anna, first = place.person(), place.ids()[0]
    data = {"action": "save", "verdict": "supported"} | ({} if token is None else {"token": token})
    response = anna.post(f"/review/items/{first}", data=data, headers=OWN)
    assert response.status_code == 403
    assert "reload the page" in response.text
    assert place.store.item(first).reviews == ()


def test_the_origin_is_enough_where_the_browser_says_no_more(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    data = {"action": "save", "verdict": "supported", "token": anna.token}
    response = anna.post(f"/review/items/{first}", data=data, headers={"Origin": "http://testserver"})
    assert response.status_code == 303
    assert len(place.store.item(first).reviews) == 1


def test_nothing_is_changed_by_a_get(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    for query in ("?action=save&verdict=supported", "?action=dismiss"):
        anna.get(f"/review/items/{first}{query}")
    assert place.store.item(first).reviews == ()
    assert place.store.item(first).state == "open"
    assert anna.get("/review/next").status_code == 405


def test_other_bodies_and_huge_ones_are_refused(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    path = f"/review/items/{first}"
    assert anna.post(path, json={"verdict": "supported"}, headers=OWN).status_code == 415
    assert anna.submit(path, note="x" * (2 * 2**20)).status_code == 413
    assert anna.post(
        path, content="&".join(["a=b"] * 9000), headers=OWN | {"Content-Type": "application/x-www-form-urlencoded"}
    ).status_code == 400  # fmt: skip


@pytest.mark.parametrize("goal", ["https://evil.example", "//evil.example", "/metrics", "/review/items/\\..\\x", ""])
def test_giving_a_name_leads_nowhere_else(place: Place, goal: str) -> None:
    response = place.person(None).submit("/review/reviewer", name="Anna", to=goal)
    assert response.headers["location"].startswith("/review?")


def test_cookies_are_hidden_from_scripts_and_foreign_pages(place: Place) -> None:
    response = place.person(None).submit("/review/reviewer", name="Anna", to="/review")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
