"""The exercises of the project, in which a decoder is built part by part and trained."""

from linebyline.exercises.own_decoder import batches
from linebyline.exercises.own_decoder.training import chapter
