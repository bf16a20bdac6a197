"""What is run in an environment of one extra: the least real work of each adapter.

Each is a program of its own, as text: it imports what only its environment has, works beside the
small dataset `made`, and fails where something is not as it should be.
"""

IMPORTED = """
import importlib, json, sys
told = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module("facelet.pipeline.adapters." + name)
        told[name] = ""
    except ImportError as error:
        told[name] = str(error)
print(json.dumps(told))
"""

GYMNASIUM = """
import gymnasium, facelet.pipeline.adapters.gymnasium
env = gymnasium.make("facelet/labyrinth_act-v0", size=1, params={"turns": 1})
env.reset(seed=0)
over = False
for said in env.unwrapped.entries[0]["answer"]:
    _, reward, over, _, _ = env.step(said)
assert over and reward == 1, reward
"""

TEXTARENA = """
import textarena
import facelet.pipeline.adapters.textarena
env = textarena.make("facelet/arcade_bit_query-v0", size=1)
env.reset(num_players=1, seed=0)
over = False
for said in env.entries[0]["answer"]:
    over, _ = env.step(said)
rewards, _ = env.close()
assert over and rewards == {0: 1.0}, rewards
"""

TRL = """
from trl import GRPOTrainer
from facelet.pipeline.adapters import trl
data = trl.prompts("made", ["marble.assemble_easy"], "test")
said = [[{"role": "assistant", "content": "I do not know."}] for _ in data]
paid = trl.reward_func("made")(prompts=data["prompt"], completions=said, id=data["id"])
assert GRPOTrainer and paid == [0.0] * len(data) and len(data) > 1, paid
"""

INSPECT = """
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
def answer(messages, tools, tool_choice, config):
    # Without a usage inspect_ai counts tokens, by a table from the network.
    said = ModelOutput.from_content(model="mock", content="I do not know.")
    said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return said
model = get_model("mockllm/model", custom_outputs=answer)
told = {"task_args": {"dataset": "made"}, "log_dir": "logs", "display": "none", "limit": 2}
(log,) = eval("facelet/marble.assemble_easy", model=model, **told)
assert log.status == "success", log.error
"""

SKYRL = """
import skyrl_gym
from facelet.pipeline.adapters import skyrl
rows = skyrl.prompts("made", ["marble.assemble_easy"], "test", limit=2)
for row in rows:
    env = skyrl_gym.make("facelet", env_config={}, extras=row)
    chat, about = env.init(row["prompt"])
    told = env.step("I do not know.")
    assert chat and about and told["done"] and told["reward"] == 0, told
assert rows
"""

OPENENV = """
from fastapi.testclient import TestClient
from facelet.pipeline.adapters import openenv
app = openenv.application("made")
with TestClient(app) as client, client.websocket_connect("/ws") as door:
    for kind, data in (("reset", {"seed": 0}), ("step", {"text": "I do not know."})):
        door.send_json({"type": kind, "data": data})
        told = door.receive_json()["data"]
assert told["observation"]["id"], told
"""

VERL = """
import asyncio, json
from types import SimpleNamespace
import pyarrow.parquet as pq
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.tools.tool_registry import initialize_tools_from_config
from facelet.pipeline.adapters import verl
verl.write_tools("tools.yaml")
(tool,) = initialize_tools_from_config("tools.yaml")
assert verl.write("made", ["cube_bench.step_by_step"], "rows.parquet", "test", limit=1)
(row,) = pq.read_table("rows.parquet").to_pylist()
loop = SimpleNamespace(tools={"reply": tool}, max_tool_response_length=100000)
record = SimpleNamespace(request_id="one", extra_fields={})
call = SimpleNamespace(name="reply", arguments=json.dumps({"text": "I do not know."}))
made = row["extra_info"]["tools_kwargs"]
told, paid, _ = asyncio.run(ToolAgentLoop._call_tool(loop, call, made, record))
extra = {**row["extra_info"], **record.extra_fields}
truth = row["reward_model"]["ground_truth"]
assert told.text and paid == 0 and verl.compute_score("", "", truth, extra)["score"] == 0
"""

SERVE = """
import json, subprocess, time, urllib.request
server = subprocess.Popen(["facelet", "serve", "dataset=made", "port=18923", "workers=2"])
try:
    name = "marble.assemble_easy"
    for _ in range(600):
        try:
            urllib.request.urlopen("http://127.0.0.1:18923/healthz")
            break
        except OSError:
            time.sleep(0.1)
    def ask(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen("http://127.0.0.1:18923" + path, data) as answer:
            return json.load(answer)
    ids = ask(f"/rows?config={name}&limit=5")["ids"]
    found = ask("/verify", {"items": [{"id": one, "reply": "I do not know."} for one in ids]})
    assert ids and [one["reward"] for one in found["results"]] == [0.0] * len(ids), found
finally:
    server.terminate()
    server.wait(20)
"""

BUCKET = """
import time, s3fs
for _ in range(600):
    try:
        s3fs.S3FileSystem(skip_instance_cache=True).mkdir("bucket")
        break
    except Exception:
        time.sleep(0.1)
"""

READ_BACK = """
import json, sys
from pathlib import Path
import pyarrow.parquet as pq

def rows(config):
    for path in sorted(Path("made", config).glob("test-*.parquet")):
        yield from pq.read_table(path).to_pylist()

def webdataset(config):
    import webdataset
    tars = sorted(map(str, Path("packed", config, "test").glob("*.tar")))
    for one in webdataset.WebDataset(tars, shardshuffle=False):
        row = json.loads(one["json"])
        assert one["__key__"] == row["id"], one["__key__"]
        number = sum(name.endswith(".png") for name in one)
        yield row, [one[f"{place}.png"] for place in range(number)]

def mds(config):
    from streaming import LocalDataset
    for one in LocalDataset(str(Path("packed", config, "test"))):
        names = sorted(name for name in one if name.startswith("picture_"))
        pictures = [one.pop(name) for name in names]
        yield one, [picture for picture in pictures if picture]

def lance(config):
    import lance
    (folder,) = Path("packed", config).glob("test/*.lance")
    for one in lance.dataset(str(folder)).to_table().to_pylist():
        yield one, [picture["bytes"] for picture in one.pop("images")]

total = 0
for folder in sorted(Path("made").glob("*.*")):
    if any(folder.glob("test-*.parquet")):
        for right, (row, pictures) in zip(
            rows(folder.name), globals()[sys.argv[1]](folder.name), strict=True
        ):
            assert [one["bytes"] for one in right.pop("images")] == pictures, right["id"]
            assert row == right, (row, right)
            total += 1
assert total > 10, total
print(total, "rows are the same")
"""
"""Reads what `facelet repack` wrote with the form's own package, and compares it with Parquet."""

MEMORY = """
import facelet
data = facelet.create_dataset("labyrinth/plan", size=2, turns=1)
assert [data.score_answer(entry["answer"], entry) for entry in data] == [1.0, 1.0]
"""
