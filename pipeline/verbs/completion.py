"""Print a script that completes verbs, keys and values in a shell.

The script asks facelet for completions, so it knows the verbs and keys of the installed version. It
also completes choices, suites, profiles, tasks and paths.

Examples:
  eval "$(facelet completion bash)"                # in ~/.bashrc
  eval "$(facelet completion zsh)"                 # in ~/.zshrc, after compinit
  facelet completion fish > ~/.config/fish/completions/facelet.fish
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from click.shell_completion import get_completion_class

from facelet.pipeline.command.setting_keys import PROGRAM, VARIABLE, key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which shell asks."""

    shell: Literal["bash", "zsh", "fish"] = key("The shell.", place=True)


def run(settings: Settings) -> int:
    """Print the script of a shell."""
    from facelet.pipeline.command.verb_command import GROUP

    kind = get_completion_class(settings.shell)
    assert kind is not None
    print(kind(GROUP, {}, PROGRAM, VARIABLE).source())
    return 0
