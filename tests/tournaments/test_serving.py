"""
The file that says how a referee is served: what it means, and what is refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import ConfigError
from tournaments import files, serving
from tournaments.hosting import settings_of
from tournaments.serving import Logging, Serving, Streams, Submissions, Tls, Uploads

LEAGUE = Path(__file__).parents[2] / "tournaments" / "leagues" / "open.toml"

WHOLE = """
league = "leagues/mine.toml"
store = "sqlite:///results/mine.db"
listen = "[::]:50117"
insecure = true
drain = 5
watch = "bots"
metrics = "127.0.0.1:0"
[tls]
certificate = "a.crt"
key = "/etc/a.key"
client_ca = "ca.crt"
[submission]
mode = "invitation"
invitations = "codes.txt"
carry_over = false
[streams]
from_one_address = 7
[log]
level = "debug"
format = "json"
[uploads]
enabled = true
memory_mb = 64
"""


def test_an_empty_file_is_the_default() -> None:
    """
    Everything may be left out.
    """
    assert Serving() == serving.parse("", "serve.toml")


def test_a_whole_file(tmp_path: Path) -> None:
    """
    Each key arrives; paths begin in the folder of the file, absolute ones stay.
    """
    file = tmp_path / "etc" / "serve.toml"
    file.parent.mkdir()
    file.write_text(WHOLE)
    folder = file.parent
    expected = Serving(
        league=folder / "leagues/mine.toml",
        store="sqlite:///results/mine.db",
        listen="[::]:50117",
        insecure=True,
        drain=5.0,
        watch="bots",
        metrics="127.0.0.1:0",
        tls=Tls(
            certificate=folder / "a.crt",
            key=type(folder)("/etc/a.key"),
            client_ca=folder / "ca.crt",
        ),
        submission=Submissions(
            mode="invitation", invitations=folder / "codes.txt", carry_over=False
        ),
        streams=Streams(from_one_address=7, in_all=4096),
        log=Logging(level="debug", format="json"),
        uploads=Uploads(enabled=True, memory_mb=64),
    )
    assert expected == serving.load(file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (4096, 2048)),
        ("[streams]\nin_all = 9", (9, 4)),
        ("[streams]\nin_all = 1", (1, 1)),
        ("[streams]\nin_all = 9\nfrom_one_address = 8", (9, 8)),
    ],
)
def test_limits_on_streams_reach_the_server(text: str, expected: tuple[int, int]) -> None:
    """
    Half of all is for one address, unless the file says otherwise.
    """
    settings = settings_of(files.load(LEAGUE), serving.parse(text, "serve.toml"))
    assert expected == (settings.max_streams, settings.streams_of_one)


def test_a_relative_file_means_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What is loaded stays right when the program changes its folder.
    """
    monkeypatch.chdir(tmp_path)
    assert tmp_path / "x.toml" == serving.parse('league = "x.toml"', "serve.toml").league


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('lisen = "x:1"', "lisen", "did you mean listen"),
        ('listen = "50117"', "listen", "host:port"),
        ('listen = "x:99999"', "listen", "host:port"),
        ('listen = ":1"', "listen", "host:port"),
        (f'listen = "x:{"1" * 5000}"', "listen", "host:port"),
        ('metrics = "x:٣"', "metrics", "host:port"),
        ("drain = -1", "drain", "seconds"),
        ("drain = inf", "drain", "seconds"),
        ("drain = nan", "drain", "a number"),
        ('drain = "30"', "drain", "a number"),
        ('insecure = "yes"', "insecure", "true or false"),
        ('watch = "bot"', "watch", "must be one of anyone, bots, nobody, not 'bot'"),
        ("store = 1", "store", "text"),
        ('tls = "on"', "tls", "table"),
        ('[tls]\ncertificate = "a"', "tls.key", "is missing"),
        ('[tls]\ncertificate = "a"\nkey = "b"\nca = "c"', "tls.ca", "not known"),
        ('[submission]\nmode = "invitation"', "submission.invitations", "is missing"),
        ('[submission]\nmode = "ask"', "submission.mode", "must be one of"),
        ("[streams]\nin_all = 0", "streams.in_all", "at least 1"),
        ("[streams]\nper_address = 1", "streams.per_address", "not known"),
        ('[log]\nlevel = "loud"', "log.level", "must be one of"),
        ('[log]\nformat = "xml"', "log.format", "must be one of"),
        ("[uploads]\nprocesses = 0", "uploads.processes", "at least 1"),
        ("[uploads]\nmemory_mb = 1.5", "uploads.memory_mb", "whole number"),
        ("[[log]]", "log", "table"),
        ("x = ", "", "is not TOML"),
    ],
)
def test_what_is_wrong_is_named(text: str, key: str, words: str) -> None:
    """
    The error has file and key, and says what to do.
    """
    with pytest.raises(ConfigError) as caught:
        serving.parse(text, "dir/serve.toml")
    assert ("dir/serve.toml", key) == (caught.value.path, caught.value.key)
    assert words in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """
    Its name is in the error.
    """
    with pytest.raises(ConfigError, match=r"none\.toml"):
        serving.load(tmp_path / "none.toml")
