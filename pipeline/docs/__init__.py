"""The documentation as a static site: guides, and pages made from rows, tasks and figures."""
