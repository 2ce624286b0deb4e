"""
A server that proves who it is, and clients that do; stock tools that talk to it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import structlog
import trustme
from structlog.testing import capture_logs

from referee import client
from referee.errors import ConfigError, RemoteError
from referee.hall import InstanceKey
from referee.office import Admission, NoOffice, Report, Row, Submission
from referee.server import load_tls, tls

BUF = shutil.which("buf") or str(Path(sys.executable).parent / "buf")
SERVICE = "euchre.referee.v1.TournamentService"
BOT = Path(__file__).parents[2] / "sample_bots" / "python" / "first.py"
ROW = Row(1, "bot-7", "Böt", 10, 5, 2, 3, 1.5, None, 30.0, 28.5, 1, 2, 0, 0.25, 1.75)


class OneBot(NoOffice):
    """
    The office of a league that has one bot.
    """

    def __init__(self) -> None:
        self.submitted: list[Submission] = []

    async def submit(self, submission: Submission) -> Admission:
        """
        Take it.
        """
        self.submitted.append(submission)
        return Admission("bot-7", "the token")

    async def standings(self) -> Report:
        """
        Return what is known.
        """
        return Report("liga", "buck", (ROW,), "a table\n", 10, 12)


class Pki:
    """
    An authority, and files that it has signed.
    """

    def __init__(self, folder: Path) -> None:
        self.authority = trustme.CA()
        self.folder = folder
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(self.ca)
        self.certificate, self.key = self.issue("server", "localhost", "127.0.0.1")
        self.client, self.client_key = self.issue("client", "somebody@example.org")

    def issue(self, name: str, *identities: str) -> tuple[Path, Path]:
        """
        Return files with a certificate and its key.
        """
        issued = self.authority.issue_cert(*identities)
        paths = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        for number, blob in enumerate(issued.cert_chain_pems):
            blob.write_to_path(paths[0], append=number > 0)
        issued.private_key_pem.write_to_path(paths[1])
        return paths


@pytest.fixture(name="pki")
def _pki(tmp_path: Path) -> Pki:
    """
    Fresh keys.
    """
    return Pki(tmp_path)


def test_the_client_knows_the_server(kit, pki) -> None:
    """
    With the authority's certificate it does; otherwise it says what is missing.
    """

    async def scenario(rig) -> None:
        port = rig.address.rpartition(":")[2]
        report = await client.standings(f"localhost:{port}", tls=client.Tls(ca=pki.ca))
        assert "liga" == report.league
        with pytest.raises(RemoteError, match="needs --tls"):
            await client.standings(rig.address)
        with pytest.raises(RemoteError, match=r"not trusted here .* --ca FILE"):
            await client.standings(rig.address, tls=client.Tls())
        with pytest.raises(RemoteError, match="for another name"):
            await client.standings(f"127.0.0.2:{port}", tls=client.Tls(ca=pki.ca))

    kit.run(
        scenario,
        address="0.0.0.0:0",
        office=OneBot(),
        tls=load_tls(pki.certificate, pki.key),
    )


def test_the_server_knows_the_client(kit, pki, tmp_path) -> None:
    """
    Mutual TLS: who has no certificate of the right authority does not come in.
    """
    (tmp_path / "other").mkdir()
    other = Pki(tmp_path / "other")

    async def scenario(rig) -> None:
        mine = client.Tls(ca=pki.ca, certificate=pki.client, key=pki.client_key)
        assert "liga" == (await client.standings(rig.address, tls=mine)).league
        for shown, advice in (
            (client.Tls(ca=pki.ca), "needs --client-cert and --client-key"),
            (
                client.Tls(ca=pki.ca, certificate=other.client, key=other.client_key),
                "must be one that it trusts",
            ),
        ):
            with pytest.raises(RemoteError, match=f"no referee answers .* {advice}"):
                await client.standings(rig.address, tls=shown)
        with pytest.raises(ConfigError, match="both a certificate and its key"):
            await client.standings(rig.address, tls=client.Tls(certificate=pki.client))

    kit.run(
        scenario,
        address="127.0.0.1:0",
        office=OneBot(),
        tls=load_tls(pki.certificate, pki.key, pki.ca),
    )


def test_a_renewed_certificate_is_used_without_a_restart(kit, pki, tmp_path, monkeypatch) -> None:
    """
    By whoever connects from then on; who is connected plays on and notices nothing.

    Half of a pair, which is there while files are copied, changes nothing either.
    """
    monkeypatch.setattr(tls, "_LOOK", 0.0)
    (tmp_path / "renewed").mkdir()
    renewed = Pki(tmp_path / "renewed")
    files = load_tls(pki.certificate, pki.key)
    structlog.contextvars.bind_contextvars(league="liga")

    async def scenario(rig) -> None:
        async def trusted(ca: Path) -> bool:
            try:
                await client.standings(rig.address, tls=client.Tls(ca=ca))
            except RemoteError:
                return False
            return True

        env = {**os.environ, "EUCHRE_REFEREE": rig.address, "EUCHRE_TOKEN": "token-a"}
        env["EUCHRE_TLS_CA"] = str(pki.ca)
        bot = await asyncio.create_subprocess_exec(sys.executable, str(BOT), env=env)
        await rig.until(lambda: not rig.lost("a"))
        stream = rig.server._streams[InstanceKey("a", "1")]

        with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
            shutil.copy(renewed.certificate, pki.certificate)
            assert [True, False] == [await trusted(ca) for ca in (pki.ca, renewed.ca)]
            pki.key.unlink()
            assert await trusted(pki.ca)
            shutil.copy(renewed.key, pki.key)
            assert [False, True] == [await trusted(ca) for ca in (pki.ca, renewed.ca)]
        said = [(line["event"], line.get("why", "")) for line in logs if "certif" in line["event"]]
        assert ["certificate_not_renewed"] * 2 + ["certificate_renewed"] == [e for e, _ in said]
        assert {"liga"} == {line["league"] for line in logs if "certif" in line["event"]}
        assert "does not belong to the certificate" in said[0][1]
        assert "tls.key: cannot be read" in said[1][1]

        assert stream is rig.server._streams[InstanceKey("a", "1")]
        await rig.server.stop("enough", grace=kit.PATIENCE)
        assert 0 == await asyncio.wait_for(bot.wait(), kit.PATIENCE)

    try:
        kit.run(scenario, address="127.0.0.1:0", office=OneBot(), tls=files)
    finally:
        structlog.contextvars.unbind_contextvars("league")


def test_the_authority_of_clients_is_renewed_too(kit, pki, tmp_path, monkeypatch) -> None:
    """
    Who was signed by the old one only does not come in any more.
    """
    monkeypatch.setattr(tls, "_LOOK", 0.0)
    (tmp_path / "other").mkdir()
    other = Pki(tmp_path / "other")
    authorities = tmp_path / "clients.pem"
    shutil.copy(pki.ca, authorities)

    async def scenario(rig) -> None:
        async def welcome(who: Pki) -> bool:
            shown = client.Tls(ca=pki.ca, certificate=who.client, key=who.client_key)
            try:
                await client.standings(rig.address, tls=shown)
            except RemoteError:
                return False
            return True

        assert [True, False] == [await welcome(who) for who in (pki, other)]
        shutil.copy(other.ca, authorities)
        assert [False, True] == [await welcome(who) for who in (pki, other)]

    kit.run(
        scenario,
        address="127.0.0.1:0",
        office=OneBot(),
        tls=load_tls(pki.certificate, pki.key, authorities),
    )


def test_anybody_may_connect_and_the_files_are_looked_at_now_and_then(pki, monkeypatch) -> None:
    """
    Not at each connection, nor by two at a time.
    """
    looks = []
    files = load_tls(pki.certificate, pki.key)
    monkeypatch.setattr(tls, "_state", lambda paths: looks.append(paths) or files.state)
    renewal = tls._Renewal(files)
    assert [None] * 100 == [renewal.look() for _ in range(100)]
    assert 1 == len(looks)


def test_files_that_change_while_they_are_read_are_read_again(pki, tmp_path, monkeypatch) -> None:
    """
    They are read once to be tried and once to be used, which need not be the same then.
    """
    monkeypatch.setattr(tls, "_LOOK", 0.0)
    renewal = tls._Renewal(load_tls(pki.certificate, pki.key))
    (tmp_path / "renewed").mkdir()
    renewed = Pki(tmp_path / "renewed")
    shutil.copy(renewed.certificate, pki.certificate)
    shutil.copy(renewed.key, pki.key)

    def overtaken(*files: Path) -> tls.Tls:
        loaded = load_tls(*files)
        os.utime(pki.key, ns=(0, 0))
        return loaded

    with monkeypatch.context() as patch, capture_logs() as logs:
        patch.setattr(tls, "load_tls", overtaken)
        assert renewal.look() is None
    assert [] == logs
    assert renewal.look() is not None
    assert renewal.look() is None


def test_with_tls_it_listens_beyond_loopback(kit, pki) -> None:
    """
    Nothing crosses the network in the clear then.
    """

    async def scenario(rig) -> None:
        assert not rig.address.endswith(":0")

    kit.run(scenario, address="0.0.0.0:0", tls=load_tls(pki.certificate, pki.key))


def test_unix_sockets_need_no_tls(kit, pki) -> None:
    """
    House bots know no certificate.
    """

    async def scenario(rig) -> None:
        await rig.four()
        assert [] == kit.codes(await rig.game())

    kit.run(scenario, tls=load_tls(pki.certificate, pki.key))


def test_a_bot_of_the_library_plays_over_tls(kit, pki) -> None:
    """
    As its environment says; without a word of it there it goes home.
    """
    files = {
        "EUCHRE_TLS_CA": str(pki.ca),
        "EUCHRE_TLS_CERT": str(pki.client),
        "EUCHRE_TLS_KEY": str(pki.client_key),
    }

    async def scenario(rig) -> None:
        env = {**os.environ, "EUCHRE_REFEREE": rig.address, "EUCHRE_TOKEN": "token-a", **files}
        bot = await asyncio.create_subprocess_exec(sys.executable, str(BOT), env=env)
        await rig.until(lambda: not rig.lost("a"))
        await rig.server.stop("enough", grace=kit.PATIENCE)
        assert 0 == await asyncio.wait_for(bot.wait(), kit.PATIENCE)
        env["EUCHRE_TLS_CA"] = "nowhere.pem"
        bot = await asyncio.create_subprocess_exec(
            sys.executable, str(BOT), env=env, stderr=subprocess.PIPE
        )
        _, err = await bot.communicate()
        assert (1, b"first.py: cannot read nowhere.pem: No such file or directory\n") == (
            bot.returncode,
            err,
        )

    kit.run(scenario, address="127.0.0.1:0", tls=load_tls(pki.certificate, pki.key, pki.ca))


def test_files_that_will_not_do(pki, tmp_path) -> None:
    """
    The error names the file and its key in the configuration.
    """
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"\xff\x00")
    _, other_key = pki.issue("other", "localhost")
    cut = tmp_path / "cut.key"
    cut.write_text(pki.key.read_text()[:200] + "\n-----END PRIVATE KEY-----\n")
    encrypted = tmp_path / "encrypted.key"
    encrypted.write_bytes(_encrypted(pki.key))
    for files, key, why in (
        ((tmp_path / "none", pki.key), "tls.certificate", "No such file"),
        ((tmp_path, pki.key), "tls.certificate", "directory"),
        ((garbage, pki.key), "tls.certificate", "no certificate in PEM"),
        ((pki.key, pki.key), "tls.certificate", "no certificate in PEM"),
        ((pki.certificate, tmp_path / "none"), "tls.key", "No such file"),
        ((pki.certificate, pki.certificate), "tls.key", "no private key"),
        ((pki.certificate, cut), "tls.key", "cannot be used"),
        ((pki.certificate, encrypted), "tls.key", "is encrypted"),
        ((pki.certificate, other_key), "tls.key", "does not belong"),
        ((pki.certificate, pki.key, garbage), "tls.client_ca", "no certificate"),
    ):
        with pytest.raises(ConfigError) as caught:
            load_tls(*files)
        assert key == caught.value.key
        assert why in str(caught.value)
        place = ["tls.certificate", "tls.key", "tls.client_ca"].index(key)
        assert str(files[place]) == caught.value.path


def _encrypted(key: Path) -> bytes:
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415

    loaded = form.load_pem_private_key(key.read_bytes(), None)
    return loaded.private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, form.BestAvailableEncryption(b"secret")
    )


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True])
def test_a_stock_client_submits_and_reads(kit, pki, secure) -> None:
    """
    `buf curl` knows nothing of us but what reflection tells it.
    """
    office = OneBot()

    async def scenario(rig) -> None:
        port = rig.address.rpartition(":")[2]
        if secure:
            url, how = f"https://localhost:{port}", ["--cacert", str(pki.ca)]
        else:
            url, how = f"http://127.0.0.1:{port}", ["--http2-prior-knowledge"]

        async def curl(method: str, body: dict) -> dict:
            command = [BUF, "curl", "--protocol", "grpc", *how, "--data", json.dumps(body)]
            process = await asyncio.create_subprocess_exec(
                *command,
                f"{url}/{SERVICE}/{method}",
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=pki.folder,
            )
            out, err = await process.communicate()
            assert 0 == process.returncode, err.decode()
            return json.loads(out)

        admitted = await curl("SubmitBot", {"name": "Böt", "games": ["GAME_BUCK"]})
        assert {"botId": "bot-7", "token": "the token"} == admitted
        standings = await curl("GetStandings", {})
        assert ("liga", "Böt") == (standings["league"], standings["rows"][0]["name"])

    files = load_tls(pki.certificate, pki.key) if secure else None
    kit.run(scenario, address="127.0.0.1:0", office=office, tls=files)
    assert ["Böt"] == [submission.name for submission in office.submitted]
