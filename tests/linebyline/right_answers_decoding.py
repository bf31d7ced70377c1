"""Right answers to the exercises on translation."""

RIGHT_DECODING = {}
