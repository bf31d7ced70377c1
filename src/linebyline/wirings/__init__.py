"""Three wirings of the same parts on one task, and three shapes of one of them."""
