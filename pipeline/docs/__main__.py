"""Write the sources of the documentation site: `python -m facelet.pipeline.docs DATASET OUT`."""

from __future__ import annotations

import sys
from pathlib import Path

from facelet.pipeline.docs.docs_site import write_site_sources

if __name__ == "__main__":
    print(write_site_sources(Path(sys.argv[1]), Path(sys.argv[2])))
