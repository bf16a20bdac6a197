"""Report: pages and charts of scores, a gallery of a dataset, and a page for human players."""
