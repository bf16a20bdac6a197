"""`python -m facelet.pipeline.cube.store`: search for deep states, or count whole classes."""

from __future__ import annotations

import sys

from facelet.pipeline.cube.store import class_counts, deep_search

if __name__ == "__main__":
    if sys.argv[1:2] == ["classes"]:
        sys.exit(class_counts.main(sys.argv[2:]))
    sys.exit(deep_search.main(sys.argv[1:]))
