"""Ask a model on a server; resumes.

Asks a model on any OpenAI-compatible server (OpenAI, vLLM, Ollama, llama.cpp): single questions and
episodes of many turns, with their pictures. It first prints how many requests this takes and asks
for confirmation. Every completed play is appended to the transcript file at once. Stop it with
Ctrl-C and repeat the command to resume: plays in the file are not asked again, failed plays are.
After Ctrl-C it waits for replies in progress; an unfinished episode starts again next time.

Each transcript records how the model was asked. A file that contains plays by the same name with
other settings is refused: use another name=... or out=... At the end it prints each reason for
failed plays once. Keys, passwords and values of headers are never written, and are hidden in
messages of servers.

Needs the extra run (the package openai).

Examples:
  facelet run openai/gpt-5 data/out/facelet-paper limit=50
  facelet run openai/qwen DIR base_url=http://localhost:8000/v1 suites=SUITE yes=true

Exit status: 0 all is answered, 1 plays failed or were not confirmed, 2 a bad word, dataset or file.
"""

from __future__ import annotations

from facelet.pipeline.model_runner.settings import RunSettings as Settings
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets

__all__ = ["Settings", "redact_error", "run"]


def run(settings: Settings) -> int:
    """Run the model and return the exit status.

    Raises:
        ValueError: the client is not installed, a setting is missing, or the dataset or the
            transcript file cannot be used. The message contains no key.
    """
    from facelet.pipeline.model_runner.runner import run_model

    return run_model(settings)


def redact_error(text: str) -> str:
    """Return an error about an argument without secrets."""
    return SecretRedactor(list_environment_secrets()).format_error(text)
