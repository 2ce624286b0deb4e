"""
Packages: what is packed comes out again, and what is hostile does not.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import random
import stat
import subprocess
import tarfile
import zlib
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.packing import Allowance, pack
from referee.receiving import Receiving
from referee.unpacking import unpack, unpack_plain


def archive(*entries, form=tarfile.PAX_FORMAT):
    """
    Return a package of (name, content) or of whole entries, as Python's tarfile writes it.
    """
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                tar.addfile(entry)
                continue
            name, content = entry
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(out.getvalue())


def special(name, kind, target="", mode=0o644):
    """
    Return an entry of another kind.
    """
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


def tree(folder):
    """
    Return what is in a folder: the content of each file, None for a folder.
    """
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def program(tmp_path):
    """
    Make a folder with everything that a package can hold.
    """
    folder = tmp_path / "program"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "x"\n')
    (folder / "deep" / "er" / "naïve file ♣.txt").write_bytes(bytes(range(256)) * 5)
    (folder / "empty").write_bytes(b"")
    (folder / ("long" * 20)).mkdir()
    (folder / ("long" * 20) / ("name" * 20)).write_bytes(b"long names need records of their own")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o4755)
    return folder


def test_what_is_packed_comes_out_again(program, tmp_path):
    """
    Names, content and whether it is executable survive; the setuid bit does not.
    """
    out = tmp_path / "out"
    unpack(pack(program), out)
    assert tree(out) == tree(program)
    assert stat.S_IMODE((out / "run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((out / "bot.toml").stat().st_mode) == 0o644


def test_the_same_files_give_the_same_bytes(program, tmp_path):
    """
    Times and places of the files do not matter.
    """
    copy = tmp_path / "elsewhere"
    subprocess.run(["cp", "-R", program, copy], check=True)
    (copy / "empty").touch()
    assert pack(program) == pack(copy)


def test_what_is_nobody_elses_business_stays_at_home(program):
    """
    Hidden files, tokens and caches are not sent.
    """
    before = pack(program)
    (program / ".git").mkdir()
    (program / ".git" / "config").write_text("secret")
    (program / ".env").write_text("secret")
    (program / "mine.token").write_text("secret")
    (program / "__pycache__").mkdir()
    assert pack(program) == before


@pytest.mark.parametrize("make", ["link", "pipe"])
def test_only_files_and_folders_are_packed(program, make):
    """
    A link or a pipe is named instead of sent.
    """
    if make == "link":
        (program / "other").symlink_to("/etc/passwd")
    else:
        subprocess.run(["mkfifo", program / "other"], check=True)
    with pytest.raises(ConfigError, match="other: is"):
        pack(program)


def test_too_much_is_not_packed(program):
    """
    Each limit holds for whoever packs too.
    """
    (program / "noise").write_bytes(random.Random(1).randbytes(5000))
    for small in (Allowance(packed=4000), Allowance(unpacked=4000), Allowance(entries=5)):
        with pytest.raises(ConfigError, match=r"too large|more than"):
            pack(program, small)


@pytest.mark.parametrize("form", ["ustar", "gnu", "pax"])
def test_what_other_programs_pack_is_read(program, tmp_path, form):
    """
    GNU tar is read in each of its forms.
    """
    name = program / "deep" / "er" / "naïve file ♣.txt"
    if form == "ustar":
        name.rename(name.with_name("plain"))
    packed = tmp_path / "package.tar.gz"
    subprocess.run(["tar", "czf", packed, f"--format={form}", "-C", program, "."], check=True)
    out = tmp_path / "out"
    unpack(packed.read_bytes(), out)
    assert tree(out) == tree(program)


HOSTILE = {
    "absolute": archive(("/etc/passwd", b"x")),
    "up": archive(("../outside", b"x")),
    "up in the middle": archive(("a/../../outside", b"x")),
    "up at the end": archive(special("a/..", tarfile.DIRTYPE)),
    "only up": archive(special("..", tarfile.DIRTYPE)),
    "two slashes": archive(("a//b", b"x")),
    "dot": archive(("a/./b", b"x")),
    "no name": archive((".", b"x")),
    "backslash": archive(("..\\outside", b"x")),
    "control character": archive(("a\x1b[2J", b"x")),
    "turned text": archive(("a\u202egnp.exe", b"x")),
    "new line": archive(("a\nb", b"x")),
    "symbolic link": archive(special("a", tarfile.SYMTYPE, "/etc/passwd")),
    "link to a folder, then through it": archive(
        special("a", tarfile.SYMTYPE, "../.."), ("a/outside", b"x")
    ),
    "hard link": archive(special("a", tarfile.LNKTYPE, "/etc/passwd")),
    "device": archive(special("a", tarfile.CHRTYPE)),
    "block device": archive(special("a", tarfile.BLKTYPE)),
    "named pipe": archive(special("a", tarfile.FIFOTYPE)),
    "unknown kind": archive(special("a", b"Z")),
    "sparse file": archive(special("a", tarfile.GNUTYPE_SPARSE)),
    "twice": archive(("a", b"1"), ("a", b"2")),
    "case": archive(("a", b"1"), ("A", b"2")),
    "case of a folder": archive(("x/a", b"1"), ("X/b", b"2")),
    "sharp s": archive(("straße", b"1"), ("STRASSE", b"2")),
    "two ways to write an accent": archive(("\u00e9", b"1"), ("e\u0301", b"2")),
    "file, then a folder": archive(("a", b"1"), ("a/b", b"2")),
    "folder, then a file": archive(("a/b", b"1"), ("a", b"2")),
    "deep": archive(("/".join("d" * 17), b"x")),
    "long": archive(("x" * 241, b"x")),
    "long in parts": archive(("/".join(["x" * 60] * 5), b"x")),
    "not utf-8": archive(("a\udcff", b"x"), form=tarfile.GNU_FORMAT),
    "no gzip": b"hello",
    "empty": b"",
    "no tar": gzip.compress(b"hello" * 1000),
    "cut short": archive(("a", bytes(100_000)))[:-20],
    "no end": gzip.compress(gzip.decompress(archive(("a", b"x")))[:1024]),
    "cut in a file": gzip.compress(gzip.decompress(archive(("a", bytes(9000))))[:2000]),
    "something behind": archive(("a", b"x")) + b"more",
    "second package behind": archive(("a", b"x")) + archive(("b", b"x")),
    "something behind the end": gzip.compress(gzip.decompress(archive(("a", b"x"))) + b"more"),
    "bomb": gzip.compress(bytes(100 << 20), 9),
    "bomb in a file": archive(("a", bytes(100 << 20))),
    "bomb in a long name": archive(("n" * (1 << 20), b"x"), form=tarfile.GNU_FORMAT),
    "bomb in a header": archive(("n" * (1 << 20), b"x")),
    "too many": archive(*((str(number), b"") for number in range(10_001))),
}


@pytest.mark.parametrize("package", HOSTILE.values(), ids=HOSTILE)
def test_nothing_is_left_of_a_hostile_package(package, tmp_path):
    """
    It is refused with a plain reason, and neither beside nor in the folder is anything left.
    """
    here = tmp_path / "in" / "here"
    here.parent.mkdir()
    with pytest.raises(ConfigError) as caught:
        unpack(package, here)
    assert caught.value.key == "package"
    assert str(caught.value).isprintable()
    assert tree(tmp_path) == {"in": None}


@pytest.mark.parametrize(
    "size", [b"\x80\0\0\0\0\0\0\0\0\0\0\x05", b"-0000000005\0", b"99999999999\0"]
)
def test_a_size_in_another_notation_is_refused(size, tmp_path):
    """
    Binary and negative sizes are how readers have been tricked.
    """
    header = bytearray(gzip.decompress(archive(("a", b"12345"))))
    header[124:136] = size
    total = sum(header[:148]) + 8 * 32 + sum(header[156:512])
    header[148:156] = b"%06o\0 " % total
    with pytest.raises(ConfigError, match="no tar archive"):
        unpack(gzip.compress(bytes(header)), tmp_path / "out")


def test_a_pax_size_is_refused(tmp_path):
    """
    A second word on the size could contradict the first.
    """
    info = tarfile.TarInfo("a")
    info.pax_headers = {"size": "5"}
    with pytest.raises(ConfigError, match="not plain"):
        unpack(archive(info), tmp_path / "out")


def test_the_content_is_limited_however_well_it_is_compressed(tmp_path):
    """
    Limits hold for content that cannot be compressed as well.
    """
    noise = random.Random(2).randbytes(50_000)
    with pytest.raises(ConfigError, match="of content"):
        unpack(archive(("a", noise)), tmp_path / "out", Allowance(unpacked=40_000))
    with pytest.raises(ConfigError, match="has more than"):
        unpack(archive(("a", noise)), tmp_path / "out", Allowance(packed=40_000))


def test_many_small_files_are_read_in_time_that_grows_with_the_package(tmp_path, monkeypatch):
    """
    Zlib copies what it has not looked at yet, so it is never handed a whole package.
    """
    files = 200
    package = archive(*((f"{n}", random.Random(n).randbytes(3000)) for n in range(files)))
    handed = []
    make = zlib.decompressobj

    class Counting:
        def __init__(self, **options):
            self._real = make(**options)

        def decompress(self, data, most):
            handed.append(len(data))
            return self._real.decompress(data, most)

        def __getattr__(self, name):
            return getattr(self._real, name)

    monkeypatch.setattr("referee.unpacking.zlib.decompressobj", Counting)
    unpack(package, tmp_path / "out")
    assert files == len(tree(tmp_path / "out"))
    assert sum(handed) < 20 * len(package)


def test_no_damaged_package_does_harm(tmp_path):
    """
    Damage in any place gives an error or plain files inside the folder, never anything else.
    """
    chance = random.Random(3)
    whole = gzip.decompress(archive(("a/b", b"x" * 700), special("c", tarfile.DIRTYPE), ("d", b"")))
    for number in range(400):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(4096)] = chance.randrange(256)
        out = tmp_path / "in" / str(number)
        out.parent.mkdir(exist_ok=True)
        try:
            unpack_plain(io.BytesIO(damaged), out)
        except ConfigError:
            assert not out.exists()
        else:
            assert all(not each.is_symlink() for each in out.rglob("*"))
    assert [Path("in")] == [each.relative_to(tmp_path) for each in tmp_path.iterdir()]


# --- receiving -------------------------------------------------------------------------------


def receiving(package=b"package", **changes):
    """
    Return what receives *package*, announced rightly except for *changes*.
    """
    said = {"size": len(package), "sha256": hashlib.sha256(package).hexdigest(), "most": 1000}
    return Receiving(**said | changes)


def test_pieces_become_a_package():
    """
    What was announced is what comes out.
    """
    received = receiving()
    received.take(b"pack")
    received.take(b"age")
    assert b"package" == received.whole()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"size": 0}, "size"),
        ({"size": -5}, "size"),
        ({"size": 1001}, "size"),
        ({"sha256": "abc"}, "sha256"),
        ({"sha256": "g" * 64}, "sha256"),
    ],
)
def test_an_announcement_that_is_not_wanted(changes, why):
    """
    What cannot be right is refused before anything is taken.
    """
    with pytest.raises(ConfigError, match=why):
        receiving(**changes)


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ([b""], "1 to 262144"),
        ([bytes((1 << 18) + 1)], "1 to 262144"),
        ([b"packages"], "more came"),
        ([b"pack"], "only 4 of the 7"),
        ([b"pickage"], "another hash"),
    ],
)
def test_what_comes_must_be_what_was_announced(pieces, why):
    """
    Too much, too little or something else is refused.
    """
    received = receiving()

    def receive():
        for piece in pieces:
            received.take(piece)
        return received.whole()

    with pytest.raises(ConfigError, match=why):
        receive()
