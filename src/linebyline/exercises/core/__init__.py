"""What an exercise is: its kinds, its laws, and how an answer is held against them."""

from .chapter import Chapter, also, instead, spoiling
from .code import Code
from .diagnose import Diagnose
from .exercise import Exercise, Report, Result, Rng, find
from .expect import expect_close, expect_equal, expect_raises, expect_tuple, finite_differences
from .laws import Law
from .memory import peak_memory
from .pick import Pick
from .predict import Predict
from .write import Write
