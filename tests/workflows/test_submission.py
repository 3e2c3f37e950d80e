"""What is handed in: packed, checked and signed, and the archives and records that somebody forged."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.cli.main import main
from fcbench.core.canonical import digest_bytes
from fcbench.core.evidence import Attempt, Phase, Usage
from fcbench.core.records import decode_line, encode_line
from fcbench.errors import PackageError
from fcbench.packages.archive import MAX_FILES, unpack
from fcbench.packages.signature import signer
from fcbench.packages.signs import signs_between, signs_within
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.workflows.score import score
from fcbench.workflows.submission import check, pack, sign

LONG_AGO, FAR_AHEAD = "2001-01-01T00:00:00.000Z", "2101-01-01T00:00:00.000Z"
STRANGER = "AAAAC3NzaC1lZDI1NTE5AAAAI" + "A" * 43
V1 = Path(__file__).parents[1] / "golden" / "packages" / "v1"
NEEDS_SSH = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH's ssh-keygen is not installed")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A copy of the golden package, judged by today's evaluator."""
    shutil.copytree(V1, tmp_path / "runs")
    for path in package_of(tmp_path / "runs").glob("verdicts-*"):
        path.unlink()
    score(open_package(package_of(tmp_path / "runs")))
    return tmp_path / "runs"


def package_of(runs: Path) -> Path:
    return find_packages(runs)[0]


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package as the protocol wants it: three repeats of a whole subset by a control."""
    folder = tmp_path_factory.mktemp("runs")
    command = ["run", "complex-schema-nl/quick", "--model", "scripted:oracle", "--output", str(folder)]
    assert main([*command, "--progress", "none"]) == 0
    return find_packages(folder)[0]


def test_a_package_comes_out_of_its_archive_as_it_went_in(handed_in: Path, tmp_path: Path) -> None:
    archive = pack(handed_in, tmp_path)
    assert archive.name == f"{handed_in.name}.fcbench.zip"
    back = unpack(archive, tmp_path / "out") / handed_in.parent.name
    for path in handed_in.iterdir():
        if path.name != "run.log":
            assert (back / handed_in.name / path.name).read_bytes() == path.read_bytes()
    assert (back / "registry.json").read_bytes() == (handed_in.parent / "registry.json").read_bytes()
    assert pack(handed_in, tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_a_package_by_the_protocol_is_accepted(
    handed_in: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = pack(handed_in, tmp_path)
    assert main(["package", "check", str(archive), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["packages"]
    assert (found["answer"], found["attempts"], found["verdicts"]) == ("accept", 18, 36)
    assert found["problems"] == found["departures"] == found["signs"] == []


def test_what_leaves_the_protocol_is_named_and_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "complex-schema-nl/quick", "--model", "scripted:oracle", "--repeats", "1", "--progress", "none"]
    more = ["--mode", "oracle-assisted", "--temperature", "0.5", "--time-scale", "2", "--output", str(tmp_path)]
    assert main([*command, *more]) == 0
    capsys.readouterr()
    assert main(["package", "check", str(tmp_path), "--markdown"]) == 2
    told = capsys.readouterr().out
    for sentence in ("mode oracle-assisted", "temperature 0.5", "1 repeats, where the collection says 3", "2.0 times"):
        assert sentence in told
    assert told.startswith("## Packages that were handed in")


def test_an_altered_package_is_neither_packed_nor_accepted(
    handed_in: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(handed_in.parent, tmp_path / handed_in.parent.name)
    folder = tmp_path / handed_in.parent.name / handed_in.name
    with (folder / "attempts.jsonl").open("ab") as stream:
        stream.write(b"{}\n")
    with pytest.raises(PackageError, match="not intact"):
        pack(folder, tmp_path)
    assert main(["package", "check", str(tmp_path)]) == 1
    assert "refuse" in capsys.readouterr().out


def test_the_old_golden_package_is_of_another_board_and_says_so(runs: Path) -> None:
    (found,) = check(runs).packages
    assert found.answer == "look"
    assert any("than today's" in one or "no collection" in one for one in found.departures)


# Archives ------------------------------------------------------------------------------------------------------------


def forged(path: Path, *entries: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    return entry


GOOD = "runs/0123456789ab/run/manifest.json"


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([("../outside", b"")], id="parent"),
        pytest.param([("runs/0123456789ab/../../../outside", b"")], id="parent inside"),
        pytest.param([("/etc/outside", b"")], id="absolute"),
        pytest.param([("runs\\0123456789ab\\run\\x", b"")], id="backslashes"),
        pytest.param([("runs/0123456789ab/run/deeper/x", b"")], id="too deep"),
        pytest.param([("runs/0123456789ab/.hidden/x", b"")], id="hidden"),
        pytest.param([("runs/0123456789ab/run/\u202egnp.exe", b"")], id="bidirectional"),
        pytest.param([(link(GOOD), b"/etc/passwd")], id="link"),
        pytest.param([(GOOD, b"{}"), (GOOD.replace("run/m", "RUN/M"), b"{}")], id="two names alike but for case"),
        pytest.param([(f"runs/0123456789ab/run/f{n}", b"") for n in range(MAX_FILES + 1)], id="many"),
    ],
)
def test_no_archive_leads_out_of_its_folder(tmp_path: Path, entries: list[tuple[zipfile.ZipInfo | str, bytes]]) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(PackageError, match="no archive"):
        unpack(forged(tmp_path / "a.zip", *entries), tmp_path / "out")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "a.zip"]


def test_an_entry_larger_than_listed_is_refused(tmp_path: Path) -> None:
    path = forged(tmp_path / "a.zip", (GOOD, b"x" * 100_000))
    raw = path.read_bytes()
    # The central directory says 10 bytes; the local header, which is read first, too.
    path.write_bytes(raw.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(PackageError):
        unpack(path, tmp_path / "out")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = forged(tmp_path / "a.zip", (GOOD, b"x" * 1000))
    raw = path.read_bytes()
    path.write_bytes(raw.replace((1000).to_bytes(4, "little"), (0xFFFF_FFF0).to_bytes(4, "little")))
    with pytest.raises(PackageError, match="no archive"):
        unpack(path, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("manifest.json"))


@given(data=st.binary(max_size=400))
@settings(max_examples=60)
def test_any_bytes_are_an_archive_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "a.zip").write_bytes(data)
    with pytest.raises(PackageError):
        unpack(folder / "a.zip", folder)


@given(place=st.integers(0, 2000), value=st.integers(0, 255))
@example(place=955, value=1)  # places an entry before the file
@settings(max_examples=60)
def test_an_archive_with_one_byte_changed_unpacks_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: int
) -> None:
    folder = tmp_path_factory.mktemp("byte")
    path = forged(folder / "a.zip", (GOOD, b"{}" * 40), (GOOD.replace("manifest", "cases"), b"[1]"))
    raw = bytearray(path.read_bytes())
    raw[place % len(raw)] = value
    path.write_bytes(raw)
    try:
        unpack(path, folder)
    except PackageError:
        return
    assert all(one.is_relative_to(folder) for one in folder.rglob("*"))


# Signs ---------------------------------------------------------------------------------------------------------------


def model_package(folder: Path, run_id: str = "golden-v1") -> Package:
    """The golden package, as if a real model had made it."""
    manifest = open_package(folder).manifest
    provider = replace(manifest.header.provider, control=False, model="some-model")
    return Package(folder, replace(manifest, header=replace(manifest.header, run_id=run_id, provider=provider)))


def with_attempts(folder: Path, change: Callable[[Attempt], Attempt]) -> Package:
    """Every record changed, and every digest that lists it made anew."""
    path = folder / "attempts.jsonl"
    lines = [decode_line(line, Attempt, where="here") for line in path.read_bytes().splitlines()]
    changed = [encode_line(change(one)).rstrip(b"\n") for one in lines]
    path.write_bytes(b"".join(line + b"\n" for line in changed))
    package = model_package(folder)
    entries = [
        replace(entry, sha256=digest_bytes(line))
        for entry, line in zip(package.manifest.attempts, changed, strict=True)
    ]
    return Package(folder, replace(package.manifest, attempts=tuple(entries)))


def changed_rounds(attempt: Attempt, **fields: object) -> Attempt:
    return replace(attempt, rounds=tuple(replace(turn, **fields) for turn in attempt.rounds))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(lambda one: replace(one, started_at=LONG_AGO), "before the run", id="early"),
        pytest.param(lambda one: replace(one, started_at=FAR_AHEAD), "after the package", id="too late"),
        pytest.param(lambda one: replace(one, started_at="yesterday"), "a time is none", id="no time"),
        pytest.param(lambda one: replace(one, duration_s=1e300), "after the package", id="endless"),
        pytest.param(lambda one: changed_rounds(one, reply_s=-1.0), "longer to answer", id="negative"),
        pytest.param(lambda one: replace(one, phases=()), "lacks the phases", id="no phases"),
        pytest.param(
            lambda one: replace(one, phases=(*one.phases[:-1], Phase(name="ended", at_s=-3.0))),
            "outside the attempt's own time",
            id="a phase before the attempt",
        ),
        pytest.param(
            lambda one: changed_rounds(one, text="x" * 1000, usage=Usage(output_tokens=1)),
            "letters",
            id="too few tokens",
        ),
        pytest.param(
            lambda one: changed_rounds(one, usage=Usage(output_tokens=10_000_000), reply_s=0.5),
            "tokens in",
            id="too fast",
        ),
    ],
)
def test_what_no_run_gives_is_a_sign(runs: Path, change: Callable[[Attempt], Attempt], sentence: str) -> None:
    folder = package_of(runs)
    assert not [one for one in signs_within(model_package(folder)) if sentence in one.sentence]
    found = [one.sentence for one in signs_within(with_attempts(folder, change))]
    assert any(sentence in one for one in found), found


def test_real_packages_bear_no_sign() -> None:
    folder = Path(__file__).parents[2] / "runs"
    packages = [open_package(one) for one in find_packages(folder)] if folder.is_dir() else []
    if not packages:
        pytest.skip("no committed packages beside these tests")
    assert [one for package in packages for one in signs_within(package)] == []
    assert [*signs_between(packages)] == []


def test_a_run_copied_under_another_model_is_a_sign(runs: Path) -> None:
    first, second = model_package(package_of(runs)), model_package(package_of(runs), "another-run")
    (found,) = signs_between([first, second])
    assert (found.kind, found.where) == ("replies", "another-run")
    assert "golden-v1" in found.sentence
    assert [*signs_between([first])] == []


# Signatures ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def allowed(key: Path, who: str = "ada@example.org") -> Path:
    path = key.with_name("allowed")
    path.write_text(f"{who} {key.with_suffix('.pub').read_text()}")
    return path


@NEEDS_SSH
def test_a_signed_package_names_who_vouches_for_it(handed_in: Path, tmp_path: Path, key: Path) -> None:
    shutil.copytree(handed_in.parent, tmp_path / handed_in.parent.name)
    folder = tmp_path / handed_in.parent.name / handed_in.name
    sign(folder, key)
    archive = pack(folder, tmp_path)
    (found,) = check(archive, allowed=allowed(key)).packages
    assert (found.answer, found.signed_by) == ("accept", "ada@example.org")


@NEEDS_SSH
@pytest.mark.parametrize("wrong", ["stranger", "another manifest", "another purpose", "no signature at all"])
def test_a_signature_that_does_not_hold_is_refused(handed_in: Path, tmp_path: Path, key: Path, wrong: str) -> None:
    shutil.copytree(handed_in.parent, tmp_path / handed_in.parent.name)
    folder = tmp_path / handed_in.parent.name / handed_in.name
    path, signers = sign(folder, key), allowed(key)
    if wrong == "stranger":
        signers.write_text(f"eve@example.org ssh-ed25519 {STRANGER}\n")
    elif wrong == "another manifest":
        manifest = folder / "manifest.json"
        manifest.write_bytes(manifest.read_bytes() + b" ")
    elif wrong == "another purpose":
        path.unlink()
        command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "file", str(folder / "manifest.json")]
        subprocess.run(command, check=True)
    else:
        path.write_text("-----BEGIN SSH SIGNATURE-----\nnothing\n-----END SSH SIGNATURE-----\n")
    with pytest.raises(PackageError, match="signature does not hold"):
        signer(open_package(folder), signers)
    if wrong == "stranger":
        (found,) = check(folder, allowed=signers).packages
        assert (found.answer, found.signed_by) == ("refuse", None)
        assert "signature" in found.problems[0]
