"""The exercises on temperature and penalties, one file each, in the order of the chapter."""

from linebyline.exercises.temperature_and_penalties import cold_penalty, find_temperature, penalize, shift_free

EXERCISES = tuple(module.EXERCISE for module in (cold_penalty, penalize, shift_free, find_temperature))
