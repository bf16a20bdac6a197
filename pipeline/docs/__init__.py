"""Generate the documentation site: guides, and pages from rows, tasks and figures."""
