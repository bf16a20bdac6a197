"""The server: rows of a stream or of a dataset, as variables of the environment say."""

import os

import uvicorn

from facelet.pipeline.adapters.openenv import application_from_variables

app = application_from_variables(os.environ)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    """Serve; see README.md for the variables.

    Args:
        host: where it listens.
        port: its port.
    """
    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
