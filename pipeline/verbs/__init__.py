"""The verbs: a module for each, named as it is typed, with _ for -, and behind a word of Python.

A module's docstring is the help of its verb: the first line is its summary, examples come last. It
holds `Settings`, a frozen dataclass whose fields are made by
`facelet.pipeline.command.setting_keys.key`, and `run(settings) -> exit status`; `facts()`, if it is
there, gives the values that its docstring names in braces. A module loads what works only in `run`,
so that help and completion answer at once. Exit statuses: 0 done, 1 the answer is no (an audit
refused, a proof failed), 2 the command was wrong, 130 interrupted.
"""

VERBS = (
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
