"""What to build and ask next for a model: ladders, proposed levels, and their suites.

ladder/            climbs of a model through the levels of a config
results_reader     a model's results by level
proposals          four rules from results to the rows to build next
proposal_writer    proposals as a table and as suites
"""
