"""What is sent to be stored: bounded, named harmlessly, whole, or refused with nothing left on disk."""

import asyncio
import io
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from flinkpy_dagster.gateway.programs.uploads import taken
from flinkpy_dagster.gateway.serving.app import gateway_app
from tests.gateway.conftest import TestClient
from tests.gateway.conftest import settings as settings_of
from tests.gateway.multipart import TYPE, body, part, uploaded

PROGRAM = b'"""Counts words."""\n'


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def small(instance, tmp_path):
    """A gateway that takes 64 KiB, and three programs."""
    limits = settings_of(tmp_path, max_content_bytes=2**16, max_uploads=3)
    with TestClient(gateway_app(instance, limits), raise_server_exceptions=False) as made:
        yield made, tmp_path


def upload(client, name: str, content: bytes):
    return uploaded(client, "/jars/upload", body(part("jarfile", content, name)))


def test_program_when_uploaded_then_listed_and_deleted(small) -> None:
    client, folder = small
    answer = upload(client, "words.py", PROGRAM)
    assert answer.status_code == 200, answer.text
    (listed,) = client.get("/jars").json()["files"]
    assert answer.json() == {"filename": str(folder / "uploads" / listed["id"]), "status": "success"}
    assert listed["name"] == "words.py"
    assert listed["entry"] == [{"name": "words", "description": "Counts words."}]
    assert client.delete(f"/jars/{listed['id']}").json() == {}
    assert client.get("/jars").json()["files"] == []
    assert files_below(folder / "uploads") == []


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../evil.py", "evil.py"),
        ("..\\..\\evil.py", "evil.py"),
        ("/etc/cron.d/evil.py", "evil.py"),
        ("C:\\evil.py", "evil.py"),
        (".hidden.py", "hidden.py"),
        ("a b;rm -rf.py", "a_b_rm_-rf.py"),
        ("%2e%2e%2fevil.py", "_2e_2e_2fevil.py"),
        ("ü.py", "_.py"),
        ("x" * 1000 + ".py", "x" * 147 + ".py"),
    ],
)
def test_names_when_they_lead_elsewhere_then_only_the_last_part_is_kept(small, name, stored) -> None:
    client, folder = small
    before = files_below(folder)
    answer = upload(client, name, PROGRAM)
    if answer.status_code == 400:  # nothing usable was left of it
        assert files_below(folder) == before
        return
    (path,) = set(files_below(folder)) - set(before)
    assert path.startswith("uploads/")
    assert path.rpartition("/")[2].partition("_")[2] == stored


@pytest.mark.parametrize(
    "name", ["", "..", ".", "/", "...", "evil", "evil.jar", "evil.py/", "evil.pkl", "evil.py\\.."]
)
def test_names_when_they_are_none_of_a_program_then_refused(small, name) -> None:
    client, folder = small
    answer = upload(client, name, PROGRAM)
    assert answer.status_code == 400
    assert list(answer.json()) == ["errors"]
    assert files_below(folder / "uploads") == []


def test_json_when_a_field_comes_after_it_then_it_counts_all_the_same(tmp_path) -> None:
    async def chunks():
        yield body(part("request", b'{"entryClass": "words"}'), part("note", b"for people"))

    async def json_part():
        async with taken(chunks(), TYPE, tmp_path, most_files=1) as (files, value):
            return files, value

    assert asyncio.run(json_part()) == ([], {"entryClass": "words"})


@pytest.mark.parametrize("cut", range(1, 190, 7))
def test_body_when_truncated_then_refused_and_nothing_is_left(small, cut) -> None:
    client, folder = small
    whole = body(part("jarfile", PROGRAM * 3, "words.py"))
    assert uploaded(client, "/jars/upload", whole[:-cut]).status_code == (200 if cut <= 2 else 400)
    assert len(files_below(folder / "uploads")) == (1 if cut <= 2 else 0)


def test_body_when_too_large_then_413_and_nothing_is_left(small) -> None:
    client, folder = small
    assert upload(client, "words.py", b"#" * 2**17).status_code == 413
    assert client.post("/savepoint-disposal", content=b" " * 2**17).status_code == 413
    assert files_below(folder / "uploads") == []


def test_uploads_when_there_are_enough_then_refused(small) -> None:
    client, folder = small
    answers = [upload(client, "words.py", PROGRAM).status_code for _ in range(4)]
    assert answers == [200, 200, 200, 400]
    two = body(part("a", PROGRAM, "a.py"), part("b", PROGRAM, "b.py"))
    assert uploaded(client, "/jars/upload", two).json() == {
        "errors": ["Exactly 1 file must be sent, received 2."]
    }
    many = body(*(part("a", b"", f"{number}.py") for number in range(50)))
    assert uploaded(client, "/jars/upload", many).json() == {"errors": ["At most 2 files may be sent."]}
    assert len(files_below(folder / "uploads")) == 3


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.data())
def test_bodies_when_random_then_no_internal_error_and_nothing_is_left(small, data) -> None:
    client, folder = small
    whole = bytearray(
        body(part("jarfile", PROGRAM, "words.jar"), part("request", b'{"jobGraphFileName": "x"}'))
    )
    for _ in range(data.draw(strategies.integers(1, 6))):
        at = data.draw(strategies.integers(0, len(whole) - 1))
        whole[at : at + data.draw(strategies.integers(0, 5))] = data.draw(strategies.binary(max_size=5))
    for path in ("/jars/upload", "/jobs"):
        answer = uploaded(client, path, bytes(whole))
        assert answer.status_code in (200, 400, 413), answer.text
    for left in (folder / "uploads").glob("*_*"):
        left.unlink()  # a name that had become one of a program
    assert files_below(folder / "uploads") == []


# -- zips ----------------------------------------------------------------------------------------------


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(name, content)
    return out.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o120777 << 16
    return entry


def lying(content: bytes) -> bytes:
    """A zip whose directory says that its entry has one byte."""
    data = bytearray(zipped(("job.py", content)))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1)
    return bytes(data)


def test_zip_when_it_has_modules_then_they_are_its_entries(small) -> None:
    client, _ = small
    data = zipped(
        ("words.py", PROGRAM), ("lib/__init__.py", b""), ("app/__main__.py", b""), ("data.txt", b"")
    )
    assert upload(client, "app.zip", data).status_code == 200
    (listed,) = client.get("/jars").json()["files"]
    assert [each["name"] for each in listed["entry"]] == ["words", "app.__main__"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no zip", "cannot be read"),
        (zipped(("job.py", b"x"))[:-30], "cannot be read"),
        (zipped(("bomb.py", bytes(20_000_000))), "when unpacked"),
        (zipped(*((f"{number}", bytes(400_000)) for number in range(20))), "when unpacked"),
        (zipped(("../evil.py", b"x")), "leads elsewhere"),
        (zipped(("/etc/evil.py", b"x")), "leads elsewhere"),
        (zipped(("a/../../evil.py", b"x")), "leads elsewhere"),
        (zipped(("..\\evil.py", b"x")), "leads elsewhere"),
        (zipped(("C:evil.py", b"x")), "leads elsewhere"),
        (zipped((link("passwd"), b"/etc/passwd")), "neither a file nor a folder"),
        (lying(bytes(3_000_000)), "cannot be read"),
    ],
    ids=[
        "no zip",
        "cut off",
        "bomb",
        "many bombs",
        "above",
        "root",
        "above below",
        "backslash",
        "drive",
        "link",
        "lying",
    ],
)
def test_zip_when_it_is_a_trap_then_refused_and_nothing_is_left(small, data, words) -> None:
    client, folder = small
    answer = upload(client, "app.zip", data)
    assert answer.status_code == 400, answer.text
    assert words in answer.json()["errors"][0]
    assert files_below(folder / "uploads") == []


def test_ids_when_they_are_paths_then_nothing_is_found(small) -> None:
    client, folder = small
    (folder / "secret.py").write_text("secret")
    upload(client, "words.py", PROGRAM)
    for wrong in ("..%2Fsecret.py", "%2e%2e%2fsecret.py", "..", "secret.py", ".pending-x", "*", "%00"):
        assert client.delete(f"/jars/{wrong}").status_code in (400, 404)
        assert client.post(f"/jars/{wrong}/run").status_code in (400, 404)
    assert (folder / "secret.py").exists()
