"""What is in the tree is what is in the wheel, whichever way the wheel is built."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINKED = ("collector", "scorers", "exporters")


def tracked_package_files() -> set[str]:
    """Every file of the package in the tree, by the name it has in the wheel."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "src/ragsonde", *LINKED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    files = {name for name in listed if name and (ROOT / name).is_file()}
    return {
        "ragsonde/" + name.removeprefix("src/ragsonde/")
        for name in files
        if name not in {f"src/ragsonde/{folder}" for folder in LINKED}
    }


@pytest.mark.parametrize("folder", LINKED)
def test_each_link_leads_to_its_top_level_folder(folder: str) -> None:
    link = ROOT / "src" / "ragsonde" / folder
    assert link.is_symlink(), (
        f"{link} is no link: check out with core.symlinks=true (see docs/adr/0001-source-layout.md)"
    )
    assert link.resolve() == ROOT / folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both distributions: the wheel straight from the tree, and the one that is built from the sdist."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", str(ROOT)]
    subprocess.run([*build, "--wheel", "-o", str(out / "direct")], check=True, capture_output=True)
    subprocess.run([*build, "-o", str(out / "via_sdist")], check=True, capture_output=True)
    return out


@pytest.mark.parametrize("way", ["direct", "via_sdist"])
def test_the_wheel_holds_exactly_the_files_of_the_tree(built: Path, way: str) -> None:
    (wheel,) = (built / way).glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == tracked_package_files()


def test_the_sdist_holds_the_licence_and_the_deployment_files(built: Path) -> None:
    (sdist,) = (built / "via_sdist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "collector/pipeline.py"} <= names


def test_the_wheel_runs_alone_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = (built / "direct").glob("*.whl")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import ragsonde.collector.model as m; print(m.__file__)"
    shown = subprocess.run(
        [sys.executable, "-I", "-c", code, str(wheel)], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert str(wheel) in shown
