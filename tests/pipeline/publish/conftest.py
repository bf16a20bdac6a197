from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import _http
from huggingface_hub.utils.tqdm import disable_progress_bars
from loopback_hub import TOKEN, LoopbackHub

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.publish import publisher as sending
from facelet.pipeline.publish import release_files, release_promotion
from facelet.pipeline.publish.dataset_diff import parse_version
from facelet.pipeline.publish.hub_repository import HubRepository

SHARED = Path(__file__).parents[2] / "shared"

BUILD = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import toy_build

toy_build.install_toys()
root = Path(sys.argv[2])
toy_build.run(toy_build.settings(root / "a", count=6))
toy_build.run(toy_build.settings(root / "more", count=9))
toy_build.run(toy_build.settings(root / "other", count=6, seed=1))
"""


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three builds of the toy suite: `a`, the same with more rows, and one of another seed."""
    root = tmp_path_factory.mktemp("builds")
    command = [sys.executable, "-c", BUILD, str(SHARED), str(root)]
    subprocess.run(command, check=True, capture_output=True)
    return root


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client and the publisher do not pause before they try again, and show no bars."""
    quick = SimpleNamespace(**{**vars(time), "sleep": lambda _: None})
    monkeypatch.setattr(_http, "time", quick)
    monkeypatch.setattr(release_promotion, "time", quick)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(_http.logger, "warning", lambda *_: None)
    disable_progress_bars()


@pytest.fixture
def server(at_once: None):
    with LoopbackHub() as server:
        yield server


def make_client(server: LoopbackHub, name: str = "org/name") -> HubRepository:
    return HubRepository(name, HfApi(endpoint=server.url, token=TOKEN))


def plan(out: Path, server: LoopbackHub, version: str) -> release_promotion.ReleasePlan:
    """What the verb would publish of a folder."""
    manifest, hub = dataset_reader.read_manifest(out), make_client(server)
    _, before = sending._read_hub_state(out, manifest, hub, parse_version(version))
    files = sending.list_version_files(out, manifest, hub, parse_version(version), before)
    return release_promotion.ReleasePlan(parse_version(version), files)


def send(out: Path, server: LoopbackHub, version: str, confirm: str = "yes", **more) -> int:
    """Check and publish a folder, as the verb does."""
    manifest = release_files.check_folder(out)
    return sending.publish_dataset(
        out, manifest, make_client(server), parse_version(version), confirm=confirm, **more
    )


@pytest.fixture
def publishing() -> SimpleNamespace:
    return SimpleNamespace(client=make_client, plan=plan, send=send)
