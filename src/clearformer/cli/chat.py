"""Chat templates: the form in which a model was trained to tell questions from answers."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

try:
    from jinja2 import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as error:
    raise ImportError("chat templates need the extra chat: pip install 'clearformer[chat]'") from error


def chat_prompt(config: Mapping[str, Any], messages: Sequence[Mapping[str, str]]) -> str:
    """Return a conversation in the form that the model was trained on, up to where its answer begins.

    The template comes with the model and is run in a sandbox, where it can compute a text and nothing else.

    Args:
        config: What ``tokenizer_config.json`` says: ``chat_template``, and tokens such as ``bos_token``.
        messages: Each has a ``role``, such as ``"user"``, and a ``content``.

    Raises:
        ValueError: there is no template, or it does not work, or refuses the conversation.

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
    tokens = {name: _content(token) for name, token in config.items() if name.endswith("_token")}
    try:
        written = _environment().from_string(template).render(messages=messages, add_generation_prompt=True, **tokens)
    except (TemplateError, TypeError, ValueError, OverflowError, RecursionError, ArithmeticError) as error:
        raise ValueError(f"the chat template does not work: {str(error)[:200]}") from None
    return str(written)


def _environment() -> ImmutableSandboxedEnvironment:
    """The environment that templates are written for: that of ``transformers``."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = _json
    environment.globals |= {"raise_exception": _refuse, "strftime_now": lambda form: datetime.now().strftime(form)}
    return environment


def _json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)


def _content(token: Any) -> Any:
    """The text of a token, which is a string or an object in files."""
    return token.get("content") if isinstance(token, Mapping) else token
