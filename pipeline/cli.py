"""Run `facelet VERB key=value ...` and print errors in one line.

Exit statuses: 0 done, 1 the answer is no, 2 the command was wrong, 130 interrupted, 141 the reader
of the output is gone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from click.exceptions import Exit, UsageError
from click.shell_completion import shell_complete

from facelet.generators.core.compiled_parts import NotCompiled
from facelet.pipeline.argument_text import describe_error, sanitize_text
from facelet.pipeline.command.setting_keys import PROGRAM, VARIABLE
from facelet.pipeline.command.verb_command import GROUP


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line; return its exit status.

    Args:
        words: the words after the program's name; those of this process by default.
    """
    if asked := os.environ.get(VARIABLE):
        return shell_complete(GROUP, {}, PROGRAM, VARIABLE, asked)
    # Arrow's own allocator keeps what was freed: 110 MB where 250,000 rows were scored. Nothing has
    # imported Arrow yet; processes that this one starts read it too.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if words is None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # What a terminal cannot show is escaped.
                stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if words is None else words)
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if not words:
        main(["--help"])
        return 2
    name = f"{PROGRAM} {words[0]}"
    try:
        return int(GROUP.invoke(GROUP.make_context(PROGRAM, words)))
    except Exit as end:
        return end.exit_code
    except UsageError as error:
        print(sanitize_text(f"{name}: {error.format_message()}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except (ValueError, OSError, NotCompiled) as error:
        print(sanitize_text(f"{name}: {describe_error(error)}"), file=sys.stderr)
        return 2
