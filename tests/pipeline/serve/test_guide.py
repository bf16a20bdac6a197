"""The curl lines of the guide do what it says."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from served import find_free_port, serve_folder

from facelet.pipeline.cli import main

GUIDE = Path(__file__).parents[3] / "conf" / "docs" / "serve.md"


@pytest.mark.slow
def test_every_curl_line_works(tmp_path, monkeypatch):
    words = ["profile=smoke", "tasks=[move_prediction,step_by_step]", "depths=1-2", "table=small"]
    assert main(["build", *words, f"out={tmp_path}", "quiet=true", "workers=1"]) == 0
    blocks = re.findall(r"^```bash\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    port = find_free_port()
    monkeypatch.setenv("FACELET_SERVE_TOKEN", "")
    with serve_folder(tmp_path, port):
        said = []
        for block in blocks:
            script = block.replace("localhost:8000", f"127.0.0.1:{port}").replace("curl -s", CURL)
            done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True)
            assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
            said.append(done.stdout)
    results = json.loads(said[0])["results"]
    assert results[0]["answer"] == ["B"] and results[1]["status"] == "unparsed"
    assert said[1].count('"messages"') == 3 and '"ids"' in said[1]
    assert '"turn": 1' in said[2] and '"closed": true' in said[2]
    assert '"status": "ok"' in said[3] and "facelet_replies_judged_total 2" in said[3]


CURL = "curl -sS --fail-with-body"
