"""The course *Transformers, Line by Line*: its exercises, claims, figures, models and grader, over ``clearformer``."""
