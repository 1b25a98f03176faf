"""The docs as a site: every page is in it and every link works; what a page loads comes with the site."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?P<src>[^"'\s>]+)"""
    r"""|<link\b[^>]*\brel=["']?(?!canonical|prev|next|edit)[^>]*\bhref=["']?(?P<href>[^"'\s>]+)"""
    r"""|url\(\s*["']?(?P<url>[^"')]+)|@import\s+["'](?P<import>[^"']+)"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_site_is_built_with_every_page_and_no_dead_link(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not (site / page).exists()} == set()


def test_site_loads_nothing_from_another_host(site: Path) -> None:
    found = {
        (path.name, address)
        for path in [*site.rglob("*.html"), *site.rglob("*.css")]
        for match in LOADED.finditer(path.read_text(encoding="utf-8"))
        for address in filter(None, match.groups())
        if re.match(r"(https?:)?//", address)
    }
    assert found == set()
