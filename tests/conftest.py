"""Settings of the whole suite: property tests judge results, never how long they took."""

from hypothesis import settings

settings.register_profile("facelet", deadline=None)
settings.load_profile("facelet")
