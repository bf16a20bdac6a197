"""Replies to every row of a dataset: right ones, wrong ones, and right ones after a wrong start.

python mixed.py DATASET PREDICTIONS
"""

from __future__ import annotations

import json
import sys

from facelet.pipeline import family_modules, rollout

WRONG = ("<ANSWER>A</ANSWER>", "<ANSWER>D</ANSWER>", "I do not know.")


def main(dataset: str, predictions: str) -> None:
    """Write the replies, a line a row."""
    with open(predictions, "w", encoding="utf-8") as file:
        for number, row in enumerate(rollout.rows(dataset)):
            task = family_modules.load_task(row["task"])
            right = list(task.reference(task.decode(row)))
            wrong = [WRONG[number // 4 % 3]]
            said = (right, wrong * 3 + right, right[:-1] + wrong * 4, wrong * 9)[number % 4]
            line = {"id": row["id"], "prediction": said[0] if len(said) == 1 else said}
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
