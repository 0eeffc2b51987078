"""Finds names that two files define in one namespace.

C++ allows one definition for each name with external linkage in a program. The compiler sees one file at a time, so two
types `sotto::Candidate` in two files compile; the linker then keeps one `std::vector<sotto::Candidate>` for both, and
whichever file lost writes past the end of its elements. This module reads the sources without compiling them:

1. `tokens` removes comments, literals and preprocessor lines.
2. `definitions` walks the tokens with a stack of namespaces and yields every type, function, concept, inline variable
   and googletest case that is defined at namespace scope with external linkage.
3. `clashes` compares them over all files.

`hidden_clashes` does the same for anonymous namespaces, within the files that a unity build may compile as one.

Limits: a function is known by its name and the spelling of its parameters' types, so `std::string` and `string` differ;
operators and members count with their types; macros are not expanded. `make odr` compares types without these limits; it
does not compare functions.
"""
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*" | (?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[\w.']|[eEpP][+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark2>::|->|\[\[|\]\]|[{}()\[\];,<>=&*:~]|.)
""", re.VERBOSE | re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE | re.DOTALL)
TEST_CASES = {"TEST", "TEST_F", "TEST_P", "RC_GTEST_PROP", "RC_GTEST_FIXTURE_PROP"}
TYPES = {"struct", "class", "union", "enum"}
WORD = re.compile(r"[A-Za-z_]\w*$")


def tokens(text):
    """The words and marks of a file; a literal is one token `""`."""
    text = PREPROCESSOR.sub("", text)
    for found in TOKEN.finditer(text):
        kind = found.lastgroup
        if found.group("skip") is not None:
            continue
        if found.group("raw") is not None or found.group("text") is not None:
            yield '""'
        elif kind:
            yield found.group(0)


def without_groups(words, opening, closing):
    """The tokens outside of every `opening` ... `closing`."""
    depth, out = 0, []
    for word in words:
        if word == opening:
            depth += 1
        elif word == closing and depth:
            depth -= 1
        elif not depth:
            out.append(word)
    return out


def without_template(words):
    """A declaration without `template <...>` and `requires` before it, and without attributes."""
    words = list(without_groups(words, "[[", "]]"))
    while words[:1] == ["template"] and "<" in words[1:2]:
        depth, end = 0, 1
        for end in range(1, len(words)):
            depth += {"<": 1, ">": -1}.get(words[end], 0)
            if depth == 0:
                break
        words = words[end + 1:]
    return words


def parameters(words):
    """The types of a parameter list, spelt as in the source without names and defaults."""
    out, current, depth = [], [], 0
    for word in [*words, ","]:
        if word == "," and depth == 0:
            if "=" in current:
                current = current[:current.index("=")]
            if len(current) > 1 and WORD.match(current[-1]) and (WORD.match(current[-2]) or current[-2] in "&*>"):
                current = current[:-1]
            if current and current != ["void"]:
                out.append(" ".join(current))
            current = []
            continue
        depth += {"<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1}.get(word, 0)
        current.append(word)
    return tuple(out)


def function_of(words):
    """The name and parameter types that a declaration before `{` defines at namespace scope, or None."""
    words = without_template(words)
    if "(" not in words or words.count("(") != words.count(")") or "operator" in words:
        return None
    if words[0] in TEST_CASES:
        return "_".join(word for word in words[2:words.index(")")] if word != ","), (words[0],)
    opening = words.index("(")
    name = words[opening - 1] if opening else ""
    if not WORD.match(name) or "=" in words[:opening] or opening < 2:
        return None
    if words[opening - 2] in ("::", "~"):  # a member: it goes with its type
        return None
    depth = 0
    for end in range(opening, len(words)):
        depth += {"(": 1, ")": -1}.get(words[end], 0)
        if depth == 0:
            break
    return name, parameters(words[opening + 1:end])


def type_of(words):
    """The name of the type that a declaration before `{` defines, or None."""
    words = without_template(words)
    while words and words[0] in ("typedef", "export", "inline", "constexpr", "static", "const"):
        words = words[1:]
    if not words or words[0] not in TYPES:
        return None
    words = [word for word in words[1:] if word not in ("class", "struct", "final")]
    while words[:2] == ["alignas", "("]:
        words = words[words.index(")") + 1:]
    if not words or not WORD.match(words[0]):
        return None
    head = words[:words.index(":")] if ":" in words else words
    return " ".join(head)  # with the arguments of a specialisation, and A :: B of a nested type


def statement(words):
    """The concept or inline variable that a declaration with `;` at its end defines, or None."""
    words = without_template(words)
    if words[:1] == ["concept"]:
        return words[1]
    head = words[:words.index("=")] if "=" in words else words
    if "inline" in head and "(" not in head and WORD.match(head[-1]):
        return head[-1]
    return None


def definitions(text):
    """Yields (namespace, kind, name) of every definition at namespace scope with external linkage."""
    scopes = [("namespace", "")]  # ("namespace", full name), ("hidden", ""): anonymous, ("other", "")
    pending = []
    for word in tokens(text):
        kind, where = scopes[-1]
        if word == "}":
            if len(scopes) > 1:
                scopes.pop()
            continue
        if kind != "namespace":
            if word == "{":
                scopes.append((kind, ""))
            continue
        if word == ";":
            if pending and (name := statement(pending)):
                yield where, "name", name
            pending = []
        elif word == "{":
            bare = without_template(pending)
            if "namespace" in bare:
                names = [w for w in bare[bare.index("namespace") + 1:] if WORD.match(w) and w != "inline"]
                scopes.append(("namespace", "::".join([*([where] if where else []), *names])) if names else ("hidden", ""))
                pending = []
            elif bare[:1] == ["extern"]:
                scopes.append(("namespace", where))
                pending = []
            elif (name := type_of(pending)) is not None:
                yield where, "type", name
                scopes.append(("other", ""))
                pending = []  # `} variable;` after a type is not in our style
            elif (function := function_of(pending)) is not None:
                if "static" not in bare[:bare.index("(")]:
                    yield where, "function", f"{function[0]}({', '.join(function[1])})"
                scopes.append(("other", ""))
                pending = []
            else:  # an initialiser, a lambda, a member's body
                scopes.append(("other", ""))
                if "=" not in pending and "(" in pending and pending.count("(") == pending.count(")"):
                    pending = []
        else:
            pending.append(word)


def defined_twice(texts, names):
    """`texts`: pairs of file and text; `names` reads (namespace, name) from a text. Yields (name, files) for what two
    files define."""
    found = {}
    for file, text in texts:
        for where, name in names(text):
            found.setdefault((where, name), set()).add(file)
    for (where, name), files in sorted(found.items()):
        if len(files) > 1:
            yield f"{where}::{name}" if where else name, sorted(files)


def clashes(texts):
    """For files that may meet in one program."""
    return defined_twice(texts, lambda text: ((where, name) for where, _, name in definitions(text)))


def variable(words):
    """The name of the variable that a declaration with `;` at its end defines, or None."""
    words = without_template(words)
    if not words or words[0] in ("using", "namespace", "static_assert", "friend", "extern", *TYPES):
        return None
    head = without_groups(words[:words.index("=")] if "=" in words else words, "[", "]")
    return head[-1] if len(head) > 1 and WORD.match(head[-1]) and "(" not in head else None


def hidden_names(text):
    """Yields (namespace, name) of every type, function and variable that a file defines for itself: in an anonymous
    namespace, or as a static function. Functions count by name alone: two of one name would become overloads."""
    scopes = [("", False)]  # full name and whether it is anonymous; None: inside a definition
    pending = []
    for word in tokens(text):
        if word == "}":
            if len(scopes) > 1:
                scopes.pop()
            continue
        if scopes[-1] is None:
            if word == "{":
                scopes.append(None)
            continue
        where, is_hidden = scopes[-1]
        if word == ";":
            if is_hidden and (name := variable(pending)):
                yield where, name
            pending = []
        elif word == "{":
            bare = without_template(pending)
            if "namespace" in bare:
                names = [w for w in bare[bare.index("namespace") + 1:] if WORD.match(w) and w != "inline"]
                scopes.append(("::".join([*([where] if where else []), *names]), is_hidden or not names))
                pending = []
                continue
            scopes.append(None)
            if (name := type_of(pending)) is not None:
                if is_hidden:
                    yield where, name
                pending = []
            elif (function := function_of(pending)) is not None:
                is_test = bare[0] in TEST_CASES
                if not is_test and (is_hidden or "static" in bare[:bare.index("(")]):
                    yield where, function[0]
                pending = []
            elif "=" not in pending and "(" in pending and pending.count("(") == pending.count(")"):
                pending = []
        else:
            pending.append(word)


def hidden_clashes(texts):
    """For files that may be compiled as one."""
    return defined_twice(texts, hidden_names)
