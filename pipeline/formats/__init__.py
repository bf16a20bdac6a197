"""Rows, scores and training chats in the formats of other tools; each format is a module."""

from typing import Literal

RepackForm = Literal["webdataset", "mds", "lance"]
"""Formats of rows for trainers that stream; each module has `write(split, folder, bound)`."""

ChatForm = Literal["sharegpt", "messages"]
"""Formats of chats for fine-tuning."""

Target = Literal["letter", "reasoning"]
"""What the reply of a fine-tuning chat contains."""
