"""The command ``clearformer``: its arguments, and how it ends."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any, NoReturn

DTYPES = ("float32", "bfloat16", "float16", "float64", "int8")
# What is installed under this name adds commands: a function that takes the subparsers, and sets ``run`` for each.
GROUP = "clearformer.commands"
MODEL = "a folder with config.json, *.safetensors and tokenizer.json, or a GGUF file"
# What wrong files and wrong arguments end in; anything else is a mistake of ours, and shows where.
EXPECTED = (OSError, ValueError, TypeError, RuntimeError, MemoryError, ImportError)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where to read more."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, and return the exit status: 0, 1 after an error, 2 after wrong arguments, 130 after Ctrl-C.

    Example:
        >>> main(["info", "nowhere"])
        1
    """
    try:
        arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
        arguments.run(arguments)
        sys.stdout.flush()
    except SystemExit as end:  # of argparse, after --help or an error
        return int(end.code or 0)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of the pipe has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EXPECTED as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        print("clearformer:", "\n".join(said[:2])[:600], file=sys.stderr)
        return 1
    return 0


def _info(arguments: argparse.Namespace) -> None:
    """Import what the command needs, and run it: ``--help`` waits for nothing."""
    from clearformer.cli.info import lines

    print("\n".join(lines(arguments.model)))


def _generate(arguments: argparse.Namespace) -> None:
    from clearformer.cli.generate import generate

    generate(arguments)


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="clearformer", description="Look into a published Transformer, and let it write.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    info = commands.add_parser(
        "info",
        help="list the tensors of a model, with their equations, and what it needs",
        description="List every tensor of a model with the equation it belongs to and the chapter that derives it, "
        "then parameters and memory. Only headers are read.",
    )
    info.add_argument("model", metavar="MODEL", help=MODEL)
    info.set_defaults(run=_info)
    _add_generate(commands)
    if not {"info", "generate"} & set(argv[:1]):  # the search takes longer than the rest
        for found in sorted(entry_points(group=GROUP)):
            found.load()(commands)
    return parser


def _add_generate(commands: Any) -> None:
    """Add the arguments of ``generate``."""
    parser = commands.add_parser(
        "generate",
        help="continue a prompt, or answer it",
        description="Continue a prompt with a decoder, or write from it with an encoder-decoder. The most likely "
        "token is taken each time, unless one of --temperature, --top-k, --top-p and --min-p asks for a draw.",
    )
    parser.set_defaults(run=_generate)
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("prompt", metavar="PROMPT", help="the text to continue, to answer or to write from")
    parser.add_argument("--chat", action="store_true", help="put the prompt into the model's template for chats")
    parser.add_argument("--max-new-tokens", type=int, default=128, metavar="N", help="at most so many (default 128)")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end before this; may be repeated")
    parser.add_argument("--dtype", choices=DTYPES, help="of weights and computation; as in the file if left out")

    draw = parser.add_argument_group("drawing tokens")
    draw.add_argument("--temperature", type=float, metavar="TAU", help="divides the logits; 1 leaves them")
    draw.add_argument("--top-k", type=int, metavar="K", help="draw from the K most likely tokens")
    draw.add_argument("--top-p", type=float, metavar="P", help="draw from the fewest tokens that reach P together")
    draw.add_argument("--min-p", type=float, metavar="P", help="draw from those at least P times as likely as the best")
    draw.add_argument("--seed", type=int, default=0, metavar="N", help="another number, another draw (default 0)")

    penalties = parser.add_argument_group("penalties on tokens that came before")
    penalties.add_argument("--frequency-penalty", type=float, default=0.0, metavar="ALPHA", help="each time it came")
    penalties.add_argument("--presence-penalty", type=float, default=0.0, metavar="BETA", help="once")
    penalties.add_argument("--repetition-penalty", type=float, default=1.0, metavar="RHO", help="by division")

    beams = parser.add_argument_group("beam search, in the place of drawing and penalties")
    beams.add_argument("--beams", type=int, default=1, metavar="N", help="how many beams (default 1: none)")
    beams.add_argument("--length-penalty", type=float, default=1.0, metavar="LAMBDA", help="divides by length^LAMBDA")
