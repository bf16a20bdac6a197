"""`python -m facelet <verb> key=value ...` is the same as `facelet <verb> key=value ...`."""

from __future__ import annotations

import sys

from facelet.pipeline.cli import main

if __name__ == "__main__":
    sys.exit(main())
