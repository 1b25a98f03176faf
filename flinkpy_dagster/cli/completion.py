"""``flinkpy completion``: scripts that complete the command line in a shell. They know actions, options and files."""

from collections.abc import Mapping

from flinkpy_dagster.cli.actions import ACTIONS, SHELLS
from flinkpy_dagster.cli.arguments import Arguments, action_parser

OPTIONS = ("--help", "--version")


def run(arguments: Arguments) -> int:
    """Prints the script; ``eval "$(flinkpy completion bash)"`` turns it on."""
    print(script(arguments.shell), end="")
    return 0


def script(shell: str) -> str:
    """The script for a shell of ``SHELLS``."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]({name: _options(name) for name in ACTIONS})


def _options(action: str) -> dict[str, str]:
    """What the action takes, with a sentence each; where there are several spellings, all."""
    parser = action_parser(action)
    found = {
        name: (option.help or "").replace("%%", "%")
        for option in parser._actions
        for name in option.option_strings
    }
    for option in parser._actions:
        if not option.option_strings and option.choices:
            found |= {str(choice): "" for choice in option.choices}
    return found


def _bash(options: Mapping[str, Mapping[str, str]]) -> str:
    cases = "".join(f"    {name}) words='{' '.join(words)}' ;;\n" for name, words in options.items())
    return f"""_flinkpy() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join([*ACTIONS, *OPTIONS])}' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}}
complete -o filenames -F _flinkpy flinkpy
"""


def _zsh(options: Mapping[str, Mapping[str, str]]) -> str:
    actions = "\n".join(f"    {_quoted(f'{name}:{sentence}')}" for name, sentence in ACTIONS.items())
    cases = "".join(
        f"    {name}) opts=({' '.join(_quoted(_described(*each)) for each in words.items())}) ;;\n"
        for name, words in options.items()
    )
    return f"""#compdef flinkpy
_flinkpy() {{
  local -a actions opts
  actions=(
{actions}
  )
  if (( CURRENT == 2 )); then
    _describe 'action' actions
    return
  fi
  case "$words[2]" in
{cases}  esac
  _describe -o 'option' opts
  _files
}}
compdef _flinkpy flinkpy
"""


def _fish(options: Mapping[str, Mapping[str, str]]) -> str:
    lines = [
        f"complete -c flinkpy -n __fish_use_subcommand -f -a {name} -d {_quoted(sentence)}"
        for name, sentence in ACTIONS.items()
    ]
    for action, words in options.items():
        where = f"-n '__fish_seen_subcommand_from {action}'"
        for word, sentence in words.items():
            lines.append(f"complete -c flinkpy {where} {_fish_word(word)} -d {_quoted(sentence)}")
    return "\n".join(lines) + "\n"


def _fish_word(word: str) -> str:
    if word.startswith("--"):
        return f"-l {word[2:]}"
    if word.startswith("-"):
        return f"-s {word[1:]}" if len(word) == 2 else f"-o {word[1:]}"
    return f"-a {word}"


def _described(word: str, sentence: str) -> str:
    return f"{word}:{sentence}" if sentence else word


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


assert set(SHELLS) == {"bash", "zsh", "fish"}
