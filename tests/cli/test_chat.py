"""Templates of chats, rendered as ``transformers`` renders them, in a sandbox."""

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from clearformer.cli.chat import chat_prompt

MESSAGES = [{"role": "user", "content": "Why, <s>?"}]
LLAMA_3 = """{% set loop_messages = messages %}{% for message in loop_messages %}
    {% set content = '<|start|>' + message['role'] + '<|end|>\n\n' + message['content'] | trim + '<|eot|>' %}
    {% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}
{% endfor %}
{% if add_generation_prompt %}{{ '<|start|>assistant<|end|>\n\n' }}{% endif %}"""
TEMPLATES = [
    LLAMA_3,
    "{% for m in messages %}{% if loop.index > 1 %}{% break %}{% endif %}{{ m | tojson }}{% endfor %}",
    "{{ messages | tojson(indent=2) }}{{ eos_token }}",
    "{%- for m in messages -%}\n  [INST] {{ m.content.strip() }} [/INST]\n{%- endfor %}",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_gives_what_it_gives_there(template):
    tokens = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}}
    plain = {"bos_token": "<s>", "eos_token": "</s>"}
    theirs, _ = render_jinja_template([MESSAGES], chat_template=template, add_generation_prompt=True, **plain)
    assert chat_prompt({"chat_template": template, **tokens}, MESSAGES) == theirs[0]


def test_the_default_of_several_templates_is_taken():
    several = [{"name": "tools", "template": "b"}, {"name": "default", "template": "a"}]
    assert chat_prompt({"chat_template": several}, MESSAGES) == "a"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (None, "has no chat template"),
        ("{% for %}", "does not work"),
        ("{{ raise_exception('only pairs') }}", "does not work: only pairs"),
        ("{{ messages.__class__.__mro__ }}", "does not work: access to attribute '__class__'"),
        ("{{ messages.append(1) }}", "does not work"),
        ("{{ 1 / 0 }}", "does not work"),
        ("{% for a in range(99999999) %}{% endfor %}", "does not work"),
    ],
)
def test_a_template_that_is_missing_or_misbehaves(template, message):
    with pytest.raises(ValueError, match=message):
        chat_prompt({"chat_template": template}, MESSAGES)
