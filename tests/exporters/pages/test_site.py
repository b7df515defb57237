from pathlib import Path

from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.exporters.pages.site import Assets


def assets_in(folder: Path) -> tuple[Assets, TestClient]:
    made = Assets("part", [folder])
    app = Starlette()
    app.mount(made.path, made)
    return made, TestClient(app)


def test_a_file_under_the_digest_may_be_kept_for_good(tmp_path: Path) -> None:
    (tmp_path / "look.css").write_text("a {}")
    assets, client = assets_in(tmp_path)
    response = client.get(assets.address("look.css"))
    assert response.text == "a {}"
    assert "immutable" in response.headers["cache-control"]
    assert client.get(assets.address("none.css")).status_code == 404


def test_a_file_without_the_digest_is_asked_for_anew(tmp_path: Path) -> None:
    (tmp_path / "look.css").write_text("a {}")
    assets, client = assets_in(tmp_path)
    response = client.get(f"{assets.path}/look.css")
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-cache"


def test_another_content_has_another_address(tmp_path: Path) -> None:
    (tmp_path / "look.css").write_text("a {}")
    before = Assets("part", [tmp_path]).address("look.css")
    (tmp_path / "look.css").write_text("b {}")
    assert Assets("part", [tmp_path]).address("look.css") != before


def test_nothing_beside_the_folder_is_served(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("no")
    inner = tmp_path / "static"
    inner.mkdir()
    assets, client = assets_in(inner)
    for path in ("../secret", "%2e%2e/secret"):
        assert client.get(f"{assets.path}/{path}").status_code == 404
        assert client.get(assets.address(path)).status_code == 404
