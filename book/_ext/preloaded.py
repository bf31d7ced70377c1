"""What most chapters import and read, for a process that kernels are copied from: none of it is changed by a page."""

# ruff: noqa: F401
from contextlib import suppress

with suppress(Exception):  # what is wrong, the first chapter says
    import matplotlib.figure
    import scipy.stats
    import torch
    import torch._dynamo

    from linebyline import claims, exercises, figures, pretrained
    from linebyline.corpora import docstrings_split

    docstrings_split()
