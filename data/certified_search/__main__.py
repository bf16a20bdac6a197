"""`python data/certified_search`: search for deep states, or count whole classes."""

from __future__ import annotations

import sys

import class_counts
import deep_search

if __name__ == "__main__":
    if sys.argv[1:2] == ["classes"]:
        sys.exit(class_counts.main(sys.argv[2:]))
    sys.exit(deep_search.main(sys.argv[1:]))
