"""The course: chapters, texts, kept models, exercises, claims, figures and comparisons, all built on the library."""
