"""The chapters of the book, in its order, and which of them sets an exercise."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

# The way from the first chapter to a whole Transformer: none of these needs one that comes later.
FIRST_COURSE = (
    "first_model",
    "tokenization",
    "embeddings",
    "attention",
    "masks_and_cross_attention",
    "positional_encoding",
    "multi_head_attention",
    "induction_heads",
    "key_value_cache",
    "relative_positions",
    "feed_forward",
    "normalization",
    "language_model",
    "temperature_and_penalties",
    "sampling",
    "search",
    "translation",
    "attention_weights",
)
CHAPTERS = (
    *FIRST_COURSE,
    "own_decoder",
    "encoder",
    "text_to_text",
    "llama",
    "running_a_model",
    "a_real_model",
    "training",
    "training_at_scale",
    "assistant",
    "lora",
    "preferences",
    "rewards",
    "evaluation",
    "unigram",
    "embedding_gradients",
    "attention_scores",
    "learned_alignment",
    "unseen_positions",
    "length_generalization",
    "norm_gradients",
    "counting_models",
    "testing_a_sampler",
    "padding",
    "attention_backward",
    "attention_cost",
)
# The chapters of each week of the course, by its title: those of the part "Deeper" go with what they deepen.
BY_WEEK = {
    "A first model, and its tokens": ("first_model", "tokenization"),
    "Vectors and attention": ("unigram", "embeddings", "attention", "attention_scores"),
    "Masks and positions": (
        "masks_and_cross_attention",
        "positional_encoding",
        "unseen_positions",
    ),
    "Heads": (
        "multi_head_attention",
        "induction_heads",
        "key_value_cache",
        "relative_positions",
        "length_generalization",
    ),
    "The block": ("feed_forward", "normalization", "norm_gradients"),
    "A language model": ("language_model", "counting_models", "temperature_and_penalties"),
    "Choosing a text": ("sampling", "testing_a_sampler", "search"),
    "A model that translates": (
        "translation",
        "attention_weights",
        "learned_alignment",
        "embedding_gradients",
        "padding",
    ),
    "A decoder of your own": ("own_decoder",),
    "Encoders, and text to text": ("encoder", "text_to_text"),
    "Models of other people": ("llama", "running_a_model", "a_real_model"),
    "Training": ("training", "training_at_scale"),
    "After pretraining": ("assistant", "lora", "preferences", "rewards", "evaluation"),
    "Gradients and cost": ("attention_backward", "attention_cost"),
}
# An exercise keeps its id when the section that prepares it moves: these appear in other chapters than their id names.
MOVED = {
    "induction_heads": ("multi_head_attention.induction",),
    "key_value_cache": ("multi_head_attention.shared", "multi_head_attention.shared_cache"),
    "normalization": ("feed_forward.block_parameters",),
    "attention_weights": ("translation.alignment_error",),
    "unigram": ("tokenization.viterbi",),
    "embedding_gradients": ("embeddings.rows_reached", "embeddings.tied_gradient"),
    "norm_gradients": ("normalization.back_by_hand", "normalization.five_layers", "normalization.rms_backward"),
    "counting_models": ("language_model.trigram", "language_model.after_b"),
    "testing_a_sampler": ("sampling.double_noise", "sampling.chi_square"),
    "unseen_positions": ("positional_encoding.two_ahead", "positional_encoding.first_step"),
    "padding": ("translation.neighbours",),
    "running_a_model": ("llama.cache", "llama.int4"),
    "a_real_model": ("llama.rename", "llama.transposed"),
}
_MOVED_TO = {exercise: chapter for chapter, exercises in MOVED.items() for exercise in exercises}


def chapter_of(exercise_id: str) -> str:
    """Return the chapter in which an exercise appears.

    Example:
        >>> chapter_of("embeddings.nearest"), chapter_of("embeddings.tied_gradient")
        ('embeddings', 'embedding_gradients')
    """
    return _MOVED_TO.get(exercise_id, exercise_id.partition(".")[0])


def module_of(package: str, chapter: str) -> ModuleType | None:
    """Import the module that a package, such as ``"linebyline.exercises"``, has for a chapter, if it has one."""
    name = f"{package}.{chapter}"
    return import_module(name) if chapter in CHAPTERS and find_spec(name) else None


def of_each_chapter(package: str) -> list[ModuleType]:
    """Import the modules that a package has for chapters, in the order of the book."""
    return [module for chapter in CHAPTERS if (module := module_of(package, chapter))]
