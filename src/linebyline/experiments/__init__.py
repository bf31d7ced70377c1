"""Recorded experiments on training, which take longer than a page may: ``python -m linebyline.experiments``.

``our_model`` asks what each part of a model adds, ``positions`` how it should be told the order of its tokens,
``warmup`` when warm-up decides, ``batch_size`` how large a batch pays, ``model_size`` how large a model.
"""
