"""A site that knows its public address: canonical links, site map, feed, and the page for missing addresses."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.errors import UsageError
from fcbench.site.addresses import address, base_address, robots, sitemaps
from fcbench.site.build import BuildOptions, build_site
from fcbench.site.feed import feed
from fcbench.site.load import load_site
from tests.site.conftest import SOURCES, Built
from tests.site.sample_packages import CASES, make_package, passing, wrong_value

BASE = "https://example.org/sub/path/"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ATOM = "{http://www.w3.org/2005/Atom}"


def tiny(runs: Path, model: str = "tiny", **changes: object) -> None:
    make_package(
        runs, "tiny", model, CASES[:2], [passing(CASES[0], 1), wrong_value(CASES[1], 1)], header_changes=changes
    )


@pytest.fixture(scope="module")
def site(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that was built for an address below a sub-path."""
    home = tmp_path_factory.mktemp("address")
    tiny(home / "runs")
    options = BuildOptions(base_url="https://example.org/sub/path")
    build_site(SOURCES, [home / "runs"], home / "out", home / "cache", options)
    return home / "out"


def test_every_page_names_its_own_address_title_and_description(site: Path) -> None:
    pages = [path for path in site.rglob("*.html") if path.name != "404.html"]
    assert len(pages) > 80
    for path in pages:
        page = path.read_text()
        place = path.relative_to(site).as_posix()
        wanted = BASE if place == "index.html" else BASE + place
        assert re.findall(r'<link rel="canonical" href="([^"]*)">', page) == [wanted], place
        assert re.findall(r'<meta property="og:url" content="([^"]*)">', page) == [wanted]
        for name in ("description", "og:title", "og:description", "twitter:title", "twitter:description"):
            (said,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)">', page)
            assert said.strip(), (place, name)


def test_the_site_map_lists_every_page_once(site: Path) -> None:
    found = [one.text for one in ET.parse(site / "sitemap.xml").getroot().iter(f"{MAP}loc")]
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.name != "404.html"]
    assert sorted(str(one) for one in found) == sorted(BASE if one == "index.html" else BASE + one for one in pages)
    assert "lastmod" not in (site / "sitemap.xml").read_text()
    assert not (site / "sitemap.xml.gz").exists()


def test_a_crawler_may_read_everything(site: Path) -> None:
    assert (site / "robots.txt").read_text() == f"User-agent: *\nAllow: /\n\nSitemap: {BASE}sitemap.xml\n"
    assert robots(None) == b"User-agent: *\nAllow: /\n"


def test_the_page_for_missing_addresses_works_at_any_depth_below_a_sub_path(site: Path) -> None:
    page = (site / "404.html").read_text()
    links = re.findall(r'href="([^"]*)"', page)
    assert len(links) >= 8
    for link in links:
        assert link.startswith("/sub/path/"), link
        assert (site / link.removeprefix("/sub/path/")).is_file(), link


def test_without_an_address_there_is_no_absolute_link_and_no_map(sample: Built) -> None:
    assert not (sample.output / "sitemap.xml").exists()
    page = (sample.output / "index.html").read_text()
    assert "canonical" not in page
    assert "og:url" not in page
    assert 'href="models/' in (sample.output / "feed.xml").read_text()


def test_the_feed_has_the_runs_of_models_with_the_times_of_their_packages(site: Path) -> None:
    root = ET.parse(site / "feed.xml").getroot()
    (entry,) = root.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "tiny on complex-schema-nl"
    assert entry.findtext(f"{ATOM}updated") == root.findtext(f"{ATOM}updated") == "2026-11-30T12:00:00.000Z"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"{BASE}models/tiny.html"
    assert "Strict accuracy 50.0 %" in str(entry.findtext(f"{ATOM}summary"))


def ids(data: bytes) -> list[str | None]:
    root = ET.fromstring(data)
    return [entry.findtext(f"{ATOM}id") for entry in root.findall(f"{ATOM}entry")]


def test_an_entry_keeps_its_id_wherever_the_site_moves(tmp_path: Path) -> None:
    tiny(tmp_path)
    data = load_site([tmp_path])
    assert ids(feed(data, BASE)) == ids(feed(data, None)) == ids(feed(data, "http://other.example/"))
    assert feed(data, BASE) == feed(load_site([tmp_path]), BASE)


def test_controls_make_no_entry_and_an_empty_feed_is_valid(tmp_path: Path) -> None:
    make_package(tmp_path, "null", "control-null", CASES[:1], [passing(CASES[0], 1)], control=True)
    root = ET.fromstring(feed(load_site([tmp_path]), BASE))
    assert root.findall(f"{ATOM}entry") == []
    assert root.findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"


def test_a_hostile_name_stays_text_in_the_feed(tmp_path: Path) -> None:
    tiny(tmp_path, model='</title>]]><script>x</script>&\x00\x1b\ufffe\u202e"')
    root = ET.fromstring(feed(load_site([tmp_path]), BASE))
    assert root.findall(".//script") == []
    assert "<script>x</script>" in str(root.findtext(f"{ATOM}entry/{ATOM}title"))


@pytest.mark.parametrize("limit", [pytest.param(49_999, id="one file"), pytest.param(50_001, id="two and an index")])
def test_no_map_holds_more_pages_than_crawlers_read(limit: int) -> None:
    found = sitemaps(BASE, (f"a/{number}.html" for number in range(limit)))
    roots = {name: ET.fromstring(content) for name, content in found.items()}
    places = [one.text for root in roots.values() for one in root.iter(f"{MAP}loc")]
    assert sum(str(one).endswith(".html") for one in places) == limit
    assert all(len(list(root)) <= 50_000 for root in roots.values())
    assert len(found) == (1 if limit < 50_000 else 3)


@pytest.mark.parametrize(
    "text",
    [
        "example.org",
        "/sub/",
        "ftp://example.org/",
        "https://",
        "https://example.org/?q=1",
        "https://example.org/#x",
        "https://name@example.org/",
        "javascript:alert(1)",
        "https://example.org/ x",
        'https://example.org/"><script>',
        "https://[::1",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no address of a site"):
        base_address(text)


@given(st.text(max_size=40))
def test_any_text_is_an_address_with_a_slash_or_a_usage_error(text: str) -> None:
    for candidate in (text, f"https://{text}", f"http://example.org/{text}"):
        try:
            base = base_address(candidate)
        except UsageError:
            continue
        if base is None:
            assert candidate == ""
            continue
        assert base.endswith("/")
        assert not base.endswith("//") or urlsplit(base).path == ""
        assert urlsplit(address(base, "a/b.html")).scheme in ("http", "https")
        assert not set(base) & set(" \"'<>\\\t\n\r#?")
