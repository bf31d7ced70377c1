"""Fewer cases: for a property whose thousand cases would take longer than some two seconds."""

from hypothesis import settings

few = settings(max_examples=settings.default.max_examples // 5)
