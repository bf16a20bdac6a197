"""Forms: each module has `write(split, folder, bound)`, which writes a split into a new folder."""

from typing import Literal

Form = Literal["webdataset", "mds", "lance"]
"""Their names."""
