"""Builds of the toy suite in forks of a process that has loaded all: `python toy_forks.py`.

Each line of stdin is an address; a fork builds there with one worker, and the process prints the
fork's id, then its exit status once it has ended, which is negative if it was killed.
"""

from __future__ import annotations

import os
import sys
import traceback

import toy_build

from facelet.pipeline.dataset import hub_features

assert hub_features  # takes seconds, and an emit shard would load it


def main() -> None:
    toy_build.install_toys()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                toy_build.run(toy_build.tiny(line.strip()))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
