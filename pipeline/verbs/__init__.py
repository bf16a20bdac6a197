"""One module for each verb, named as it is typed, with _ for - and after a Python keyword.

A module's docstring is the help of its verb: the first line is the summary, and examples come last.
The module contains `Settings`, a frozen dataclass whose fields are made by
`facelet.pipeline.command.setting_keys.key`, and `run(settings) -> exit status`. An optional
`help_placeholders()` returns the values that the docstring names in braces. A module imports what
it needs only in `run`, so that help and completion respond at once. Exit statuses: 0 done, 1 the
answer is no (an audit refused, a proof failed), 2 the command was wrong, 130 interrupted.
"""

VERBS = (
    "list",
    "eval",
    "build",
    "certify",
    "labels",
    "verify",
    "audit",
    "floors",
    "plan-eval",
    "run",
    "requests",
    "serve",
    "import",
    "audit-set",
    "harness",
    "score",
    "report",
    "gallery",
    "ladder",
    "next",
    "evolve",
    "finetune",
    "info",
    "repack",
    "publish",
    "unseal",
    "diff",
    "play",
    "human",
    "completion",
)
"""Their names, in the order of work."""
