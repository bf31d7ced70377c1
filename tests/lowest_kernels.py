"""Runs pytest as an old processor would: python -m tests.lowest_kernels src -q."""

import os
import subprocess
import sys

import numpy as np

# Settings that keep PyTorch's and NumPy's libraries to the instructions that every processor has.
LOWEST = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
}

if __name__ == "__main__":
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:]], env=os.environ | LOWEST).returncode)
