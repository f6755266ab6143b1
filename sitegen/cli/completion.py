"""Print the completion of commands, options and refusals for a shell.

examples:
  source <(sitegen completion bash)
  source <(sitegen completion zsh)
  sitegen completion fish | source
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console

FORMATS = ("text", "json")

_BASH = """\
_sitegen() {{
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{commands}"
  else
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _sitegen sitegen"""

_ZSH = """\
#compdef sitegen
_sitegen() {{
  if (( CURRENT == 2 )); then
    local -a commands=(
{commands}
    )
    _describe command commands
    return
  fi
  local words_of=""
  case "$words[2]" in
{cases}
  esac
  compadd -- ${{=words_of}}
  _files
}}
compdef _sitegen sitegen"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that shall complete")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the script."""
    words = _words()
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell](words)
    console.result(script)
    console.data({"shell": arguments.shell, "script": script})
    return EXIT_FINE


def _words() -> dict[str, list[str]]:
    """Return what may follow each command: its options, and the slugs after ``explain``."""
    from sitegen.cli import COMMANDS, command_and_parser
    from sitegen.refusals import KINDS

    found = {}
    for command in COMMANDS:
        _, parser = command_and_parser(command)
        found[command] = sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", parser.format_help())))
    found["explain"] += KINDS
    return found


def _bash(words: Mapping[str, Sequence[str]]) -> str:
    cases = [f'      {command}) words="{" ".join(following)}" ;;' for command, following in words.items()]
    return _BASH.format(commands=" ".join(words), cases="\n".join(cases))


def _zsh(words: Mapping[str, Sequence[str]]) -> str:
    from sitegen.cli import COMMANDS

    commands = [f"      {_quoted(f'{command}:{COMMANDS[command]}')}" for command in words]
    cases = [f'    {command}) words_of="{" ".join(following)}" ;;' for command, following in words.items()]
    return _ZSH.format(commands="\n".join(commands), cases="\n".join(cases))


def _fish(words: Mapping[str, Sequence[str]]) -> str:
    from sitegen.cli import COMMANDS

    lines = []
    for command, following in words.items():
        summary = COMMANDS[command].replace("'", "\\'")
        lines.append(f"complete -c sitegen -n __fish_use_subcommand -a {command} -d '{summary}'")
        lines.append(f"complete -c sitegen -n '__fish_seen_subcommand_from {command}' -a '{' '.join(following)}'")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
