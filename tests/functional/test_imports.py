"""The equations need NumPy alone: SciPy is loaded by the functions that use it, PyTorch by none."""

import subprocess
import sys

SCRIPT = """
import sys
import numpy as np
from clearformer import functional as F
F.scaled_dot_product_attention(*np.ones((3, 2, 2)))
others = {"torch", "scipy", "matplotlib", "transformers", "tokenizers", "safetensors"}
print(*sorted({name.partition(".")[0] for name in sys.modules} & others))
F.gelu(np.ones(2))
print("scipy" in sys.modules)
"""


def test_equations_need_numpy_alone() -> None:
    printed = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert printed == "\nTrue\n"
