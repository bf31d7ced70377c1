"""The exercises on training at scale, one file each, in the order of the chapter."""

from linebyline.exercises.training_at_scale import accumulate, noise, two_batches

EXERCISES = tuple(module.EXERCISE for module in (noise, accumulate, two_batches))
