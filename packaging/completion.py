"""Completion for bash, zsh and fish from the table of manual.py: commands, options, and values that are names."""
MADE = "# Made by packaging/manual.py from the program's own tables.\n"


def prefixes(table):
    """What may follow each beginning of a command's name: {"": {"model": .., ..}, "model": {"info": ..}}, with summaries."""
    follows = {}
    for command in table["commands"]:
        words = command["name"].split()
        for i, word in enumerate(words):
            inner = follows.setdefault(" ".join(words[:i]), {})
            is_whole = i + 1 == len(words)
            inner[word] = command["summary"] if is_whole else inner.get(word, f"`sotto {' '.join(words[:i + 1])} --help` lists its commands.")
    return follows


def kind(row):
    """What the value of an option or argument is: `none`, `choices`, `folder`, `file` or `text`."""
    if not row["value"] and not row["choices"]:
        return "none"
    if row["choices"]:
        return "choices"
    if "FOLDER" in row["value"]:
        return "folder"
    return "file" if "FILE" in row["value"] or row["value"].startswith(("OUT.", "MODEL")) else "text"


def argument(command):
    """The kind of a command's positional arguments, and their choices."""
    for row in command["arguments"]:
        return kind(row), row["choices"]
    return "none", []


def short(text):
    """The beginning of a help text, for one line beside an option."""
    text = text.replace("`", "").replace("\n", " ")
    for end in (" (", "; ", ". "):
        text = text.split(end)[0]
    return text.rstrip(".")[:90].rstrip()


BASH = '''_sotto() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at= next i values
  # Bash cuts `--name=value` at the sign.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    next=${at:+$at }${COMP_WORDS[i]}
    _sotto_is_name "$next" || break
    at=$next
  done
  COMPREPLY=()
  if ((i < COMP_CWORD)) || [[ $cur == -* ]]; then
    values=$(_sotto_values "$at" "$prev")
    if [[ $values == '' && $cur == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$(_sotto_options "$at")" -- "$cur")
      return
    fi
    [[ $values == '' ]] && values=$(_sotto_arguments "$at")
  else
    values=$(_sotto_follows "$at")
    [[ $at != '' ]] && values+=" $(_sotto_arguments "$at")"
  fi
  case $values in
    *@file*) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    *@folder*) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    *@text*) ;;
    *) ;;
  esac
  values=${values//@file/} values=${values//@folder/} values=${values//@text/}
  [[ $values =~ [^[:space:]] ]] && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$values" -- "$cur")
}
complete -F _sotto sotto
'''


def case(name, rows, subject="$1"):
    body = "".join(f"    '{key}') echo '{value}' ;;\n" for key, value in rows if value)
    return f"{name}() {{\n  case {subject} in\n{body}  esac\n}}\n"


def value_words(of_kind, choices):
    return {"none": "", "choices": " ".join(choices), "file": "@file", "folder": "@folder", "text": "@text"}[of_kind]


def bash(table):
    follows = prefixes(table)
    names = sorted({f"{at} {word}".strip() for at, words in follows.items() for word in words})
    values = [(f"{command['name']}|{name}", value_words(kind(row), row["choices"]))
              for command in table["commands"] for row in command["options"] for name in row["names"]]
    options = [("", "--help --version")]
    options += [(command["name"], " ".join(name for row in command["options"] for name in row["names"])) for command in table["commands"]]
    arguments = [(command["name"], value_words(*argument(command))) for command in table["commands"]]
    any_name = " | ".join(f"'{name}'" for name in names)
    return (f"# bash completion for sotto -*- shell-script -*-\n{MADE}"
            f"_sotto_is_name() {{\n  case $1 in\n    {any_name}) return 0 ;;\n  esac\n  return 1\n}}\n"
            + case("_sotto_follows", [(at, " ".join(words)) for at, words in follows.items()])
            + case("_sotto_options", options)
            + case("_sotto_arguments", arguments)
            + "# Empty for an option without a value.\n" + case("_sotto_values", values, '"$1|$2"') + BASH)


def quoted(text):
    """Inside single quotes of a shell."""
    return text.replace("'", "'\\''")


def zsh_help(text):
    for sign in "\\[]:":
        text = text.replace(sign, "\\" + sign)
    return quoted(text)


def zsh_value(row):
    label = zsh_help(row["value"] or "value")
    action = {"choices": f"({' '.join(row['choices'])})", "file": "_files", "folder": "_files -/", "text": " ", "none": ""}[kind(row)]
    return f":{label}:{action}" if action else ""


def zsh_option(row):
    help_text, value = zsh_help(short(row["help"])), zsh_value(row)
    names = row["names"]
    if len(names) == 1:
        return f"'*{names[0]}[{help_text}]{value}'"
    return f"'({' '.join(names)})'{{{','.join(names)}}}'[{help_text}]{value}'"


ZSH = '''_sotto() {
  local at= next
  integer used=0
  while ((used + 2 < CURRENT)); do
    next="${at:+$at }${words[used + 2]}"
    (( ${_sotto_names[(Ie)$next]} )) || break
    at=$next
    ((used++))
  done
  # What is left looks as if the command were one word.
  shift $used words
  ((CURRENT -= used))
  if ((CURRENT == 2)) && [[ ${words[2]} != -* ]]; then
    _sotto_follows "$at"
  fi
  [[ -n $at ]] && _sotto_options "$at"
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _sotto "$@"
else
  compdef _sotto sotto
fi
'''


def zsh(table):
    follows = prefixes(table)
    names = sorted({f"{at} {word}".strip() for at, words in follows.items() for word in words})
    text = f"#compdef sotto\n{MADE}typeset -ga _sotto_names=({' '.join(chr(39) + name + chr(39) for name in names)})\n"
    text += "_sotto_follows() {\n  local -a next\n  case $1 in\n"
    for at, words in follows.items():
        rows = " ".join(f"'{word}:{quoted(short(summary).replace(':', chr(92) + ':'))}'" for word, summary in words.items())
        text += f"    '{at}') next=({rows}) ;;\n"
    text += "    *) return ;;\n  esac\n  _describe command next\n}\n"
    text += "_sotto_options() {\n  case $1 in\n"
    for command in table["commands"]:
        rows = [zsh_option(row) for row in command["options"]]
        rows += [f"'*{zsh_value(row)}'" for row in command["arguments"][:1] if zsh_value(row)]
        text += f"    '{command['name']}') _arguments \\\n      " + " \\\n      ".join(rows) + " ;;\n"
    return text + "  esac\n}\n" + ZSH


FISH = '''# The beginning of the line that is the name of a command, or of a group of commands.
function __sotto_at
    set -l at ''
    for word in (commandline -opc)[2..]
        set -l next (string trim "$at $word")
        contains -- $next $__sotto_names; or break
        set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c sotto -f
'''


def fish_option(command, row):
    line = f"complete -c sotto -n '__sotto_at \"{command['name']}\"'"
    for name in row["names"]:
        line += f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}"
    line += {"none": "", "choices": f" -x -a '{' '.join(row['choices'])}'", "file": " -r -F", "text": " -x",
             "folder": " -x -a '(__fish_complete_directories)'"}[kind(row)]
    return line + f" -d '{fish_quoted(short(row['help']))}'\n"


def fish_quoted(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish(table):
    follows = prefixes(table)
    names = sorted({f"{at} {word}".strip() for at, words in follows.items() for word in words})
    text = MADE + "set -g __sotto_names " + " ".join(f"'{name}'" for name in names) + "\n" + FISH
    text += "complete -c sotto -n '__sotto_at \"\"' -l version -d 'show the version'\ncomplete -c sotto -n '__sotto_at \"\"' -l help -d 'show the commands'\n"
    for at, words in follows.items():
        for word, summary in words.items():
            text += f"complete -c sotto -n '__sotto_at \"{at}\"' -a {word} -d '{fish_quoted(short(summary))}'\n"
    for command in table["commands"]:
        text += "".join(fish_option(command, row) for row in command["options"])
        of_kind, choices = argument(command)
        if of_kind == "file":
            text += f"complete -c sotto -n '__sotto_at \"{command['name']}\"' -F\n"
        elif choices:
            text += f"complete -c sotto -n '__sotto_at \"{command['name']}\"' -a '{' '.join(choices)}'\n"
    return text
