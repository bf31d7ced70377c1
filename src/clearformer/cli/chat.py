"""Chat templates: the form in which a model was trained to tell questions from answers."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NoReturn

try:
    from jinja2 import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as error:
    raise ImportError("chat templates need the extra chat: pip install 'clearformer[chat]'") from error


def chat_prompt(config: Mapping[str, Any], messages: Sequence[Mapping[str, str]]) -> str:
    """Return a conversation in the form that the model was trained on, up to where its answer begins.

    ``config`` is what ``tokenizer_config.json`` says: ``chat_template``, and tokens such as ``bos_token``. The template
    is run in a sandbox, where it can compute a text and nothing else. If there is none, or it does not work or refuses
    the messages, each with a ``role`` and a ``content``, there is a ValueError.

    Example:
        >>> template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"
        >>> chat_prompt({"chat_template": template}, [{"role": "user", "content": "Why?"}])
        '<user>Why?<assistant>'
    """
    template = config.get("chat_template")
    if isinstance(template, list):  # several with names, as older files have them
        template = {each.get("name"): each.get("template") for each in template}.get("default")
    if not isinstance(template, str):
        raise ValueError("the model has no chat template; leave --chat out to continue a text")
    tokens = {name: token for name, token in config.items() if name.endswith("_token")}
    tokens |= {name: token.get("content") for name, token in tokens.items() if isinstance(token, Mapping)}
    try:
        written = _environment().from_string(template).render(messages=messages, add_generation_prompt=True, **tokens)
    except (TemplateError, TypeError, ValueError, OverflowError, RecursionError, ArithmeticError) as error:
        raise ValueError(f"the chat template does not work: {str(error)[:200]}") from None
    return str(written)


def _environment() -> ImmutableSandboxedEnvironment:
    """The environment that templates are written for: that of ``transformers``."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
    environment.globals |= {"raise_exception": _refuse, "strftime_now": lambda form: datetime.now().strftime(form)}
    return environment


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
