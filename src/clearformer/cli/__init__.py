"""The command line: what a model is made of (``info``), and what it writes (``generate``)."""
