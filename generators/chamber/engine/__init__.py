"""The engine: what a step leads to, cell by cell; it knows no kind of device."""
