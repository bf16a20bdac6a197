"""Prove a dataset's labels again from its published files.

Checks hashes of files, rows and pixels, makes questions and pictures again from the rows, simulates
labels, grades reference replies by the scorer's rules, and proves optimal depths by exhaustive
search. Prints what failed with the ids of the rows, and exits with 1.

Examples:
  facelet verify data/out/facelet-smoke all=true
  facelet verify data/out/facelet-paper all=true record=verified.jsonl  # repeat it to resume
  facelet verify data/out/facelet-paper sample=0.05 workers=4
"""

from __future__ import annotations

import sys

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.verify.settings import VerifySettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Verify a dataset; 0 when nothing failed, 1 when something did.

    Raises:
        ValueError: there is no dataset to verify.
    """
    from facelet.pipeline.verify.dataset_verifier import format_verify_report, verify_dataset

    verified = verify_dataset(settings)
    report = sanitize_text(format_verify_report(verified, settings))
    print(report, file=sys.stderr if verified.failures else sys.stdout)
    return 1 if verified.failures else 0
