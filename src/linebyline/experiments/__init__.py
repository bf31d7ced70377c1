"""Recorded experiments on training, which take longer than a page may: ``python -m linebyline.experiments``.

``warmup`` asks when warm-up decides, ``batch_size`` how large a batch pays, ``model_size`` how large a model.
"""
