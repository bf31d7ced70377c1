"""A language model of a small world that is made to answer: its texts, its questions, and how it is tuned."""
