"""``python -m clearformer`` is the command ``clearformer``."""

import sys

from clearformer.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
