"""Recorded experiments on training, which take longer than a page may: ``python -m linebyline.experiments``.

``first_network`` asks what limits the network of the first chapter, ``our_model`` what each part of a model adds,
``positions`` how it should be told the order of its tokens, ``heads`` how many heads it should have, ``relative`` the
same with several heads, ``blocks`` what the parts of a block add, ``warmup`` when warm-up decides, ``batch_size`` how
large a batch pays, ``model_size`` how large a model, ``own_decoder`` what typical mistakes cost.
"""
