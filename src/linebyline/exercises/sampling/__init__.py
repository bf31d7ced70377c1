"""The exercises on sampling, one file each, in the order of the chapter."""

from linebyline.exercises.sampling import cuts, double_noise, nucleus, rejections

EXERCISES = tuple(module.EXERCISE for module in (rejections, double_noise, nucleus, cuts))
