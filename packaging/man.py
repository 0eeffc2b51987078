"""Man pages from the table of manual.py: sotto(1) and one page for each command, sotto-model-info(1)."""
import re


def escaped(text):
    """Text for roff. A hyphen is written as a minus: options are copied from man pages."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)


def lines(text):
    """Filled text, one paragraph."""
    return "".join(guarded(escaped(line.strip())) + "\n" for line in text.strip().splitlines())


def guarded(line):
    return "\\&" + line if line[:1] in (".", "'") else line


def paragraphs(text):
    return "".join(".PP\n" + lines(part) for part in text.strip().split("\n\n") if part.strip())


def verbatim(text):
    """Lines as they are: commands, tables."""
    body = "".join(guarded(escaped(line)) + "\n" for line in text.splitlines())
    return f".PP\n.nf\n.RS 4\n{body}.RE\n.fi\n"


def parts(description):
    """The help's three parts: prose, usage, examples."""
    prose, usage, examples = [], [], []
    for block in description.strip().split("\n\n"):
        if block.startswith("Usage: "):
            usage.append(block[len("Usage: "):])
        elif block.startswith("  "):
            examples.append("\n".join(line[2:] for line in block.splitlines()))
        else:
            prose.append(block)
    return "\n\n".join(prose), "\n".join(usage), "\n\n".join(examples)


def option(row):
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in row["names"])
    value = f" \\fI{escaped(row['value'])}\\fR" if row["value"] else ""
    return f".TP\n{names}{value}\n{lines(row['help'])}"


def options(command):
    groups = {}
    for row in command["options"]:
        groups.setdefault(row["group"], []).append(row)
    text = ""
    for group in (group for group in command["groups"] if group in groups):  # in the order of --help
        text += f'.SH "{group.upper()}"\n' + "".join(option(row) for row in groups[group])
    return text


def head(name, version, summary):
    summary = escaped(summary.rstrip(".")).replace("\n", " ")
    return (f'.\\" Made by packaging/manual.py from `sotto {name[6:].replace("-", " ")} --print-options`.\n'
            f'.TH {name.upper()} 1 "" "Sotto {version}" "User Commands"\n.nh\n.ad l\n'
            f".SH NAME\n{escaped(name)} \\- {summary}\n")


def page_name(command):
    return "sotto-" + command["name"].replace(" ", "-")


def see_also(names):
    return ".SH \"SEE ALSO\"\n" + ",\n".join(f".BR {name} (1)" for name in names).replace(",\n", " ,\n") + "\n"


def command_page(command, table):
    prose, usage, examples = parts(command["description"])
    text = head(page_name(command), table["version"], command["summary"])
    text += ".SH SYNOPSIS\n.nf\n" + "".join(guarded(escaped(line.strip())) + "\n" for line in usage.splitlines()) + ".fi\n"
    text += ".SH DESCRIPTION\n" + paragraphs(prose)
    text += options(command)
    if command["notes"]:
        text += ".SH NOTES\n" + paragraphs(command["notes"])
    text += ".SH EXAMPLES\n" + verbatim(examples or command["example"])
    group = command["name"].split()[0]
    others = [page_name(row) for row in table["commands"] if row["name"].split()[0] == group and row is not command]
    return text + see_also(["sotto", *others])


def main_page(table):
    introduction, usage, _ = parts(table["introduction"])
    text = head("sotto", table["version"], "text under metric differential privacy")
    text += ".SH SYNOPSIS\n" + "sotto \\fICOMMAND\\fR ...\n.br\nsotto \\fB\\-\\-version\\fR | \\fB\\-\\-help\\fR\n"
    text += ".SH DESCRIPTION\n" + paragraphs(introduction)
    text += "".join(f".PP\n{lines(line)}" for line in re.findall(r"`sotto COMMAND --help`.*", usage))
    text += ".SH COMMANDS\n"
    for command in table["commands"]:
        text += f".TP\n.BR {page_name(command)} (1)\n{lines(command['summary'])}"
    end = re.search(r"Exit codes:\n(.*?)\n\n(.*)", table["end"], re.S)
    text += ".SH \"EXIT STATUS\"\n"
    for line in end.group(1).splitlines():
        code, meaning = line.strip().split(": ", 1)
        text += f".TP\n{code}\n{lines(meaning)}"
    text += ".SH NOTES\n" + paragraphs(end.group(2))
    text += ".SH EXAMPLES\n" + verbatim("\n".join(command["example"] for command in table["commands"]))
    return text + see_also([page_name(command) for command in table["commands"]])


def pages(table):
    yield "sotto", main_page(table)
    for command in table["commands"]:
        yield page_name(command), command_page(command, table)
