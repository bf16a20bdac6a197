"""Write batch files for OpenAI or vLLM.

Writes the questions of a dataset as batch files, JSON Lines that OpenAI's batch API and
`vllm run-batch` take. You can score the API's answers to single questions directly:
`facelet score dataset=DIR predictions=OUTPUT.jsonl`.

A batch asks one turn. For episodes of many turns, pass the answers with answers=... and the same
words. out then contains transcripts.jsonl, the completed plays, and requests for the next turn of
the others. Repeat this until nothing is left to ask; then score transcripts.jsonl, which contains
everything, including how the model was asked and why its replies ended. Requests that failed or
were not answered are asked again.

Examples:
  facelet requests model=gpt-5 dataset=data/out/facelet-paper limit=50 out=first
  facelet requests model=gpt-5 dataset=data/out/facelet-paper limit=50 out=second answers=out1.jsonl
  vllm run-batch -i first/requests-00001.jsonl -o out1.jsonl --model NAME

Exit status: 0 done, 2 invalid argument, dataset or file.
"""

from __future__ import annotations

from facelet.pipeline.batch_requests.settings import RequestSettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Write the batch files and return the exit status.

    Raises:
        ValueError: a value is invalid, or the dataset, the answers or the folder cannot be used.
        OSError: a file cannot be read or written.
    """
    from facelet.pipeline.batch_requests.request_passes import write_pass

    write_pass(settings)
    return 0
