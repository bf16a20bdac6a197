#!/bin/sh
# How this folder was made: by Facelet 0.2.0, before its modules and records were renamed.
# In a clean clone at commit a7231dc1 with `make setup-dev` done, run: sh make.sh FOLDER
set -e
out=$1
rm -rf "$out/data" "$out/scores"
.venv/bin/facelet build profile=smoke name=dataset_0_2_0 seed=20 workers=1 unfair=write \
  'suites=[cube_bench,cubebench,marble,marble_variants,inf_bench,evolarena]' \
  'tasks=[move_prediction,face_recognition,navigate,assemble_easy,board_parsing,plan_correctness_symbolic,forward_2d_text,forward_3d_text,guess_max,knight_battle]' \
  'marble_variants.plan_correctness_symbolic.sweep.steps=[7]' count=1 depths=1-2 levels=1-2 "out=$out/data"
rm -r "$out/data/.facelet" "$out/data/pictures"
.venv/bin/python - "$out" <<'PYTHON'
import json
import sys
from pathlib import Path

from facelet.pipeline.environment.rows import read_row, rows

out = Path(sys.argv[1])
with (out / "predictions.jsonl").open("w", encoding="utf-8") as file:
    for raw in rows(out / "data"):
        row = read_row(raw)
        said = row.task.reference(row.instance)
        file.write(json.dumps({"id": row.id, "model": "reference", "prediction": said}) + "\n")
PYTHON
.venv/bin/facelet score "dataset=$out/data" "predictions=$out/predictions.jsonl" resamples=100 \
  "out=$out/scores"
rm "$out/scores/results.md" "$out/scores/tables.md"
