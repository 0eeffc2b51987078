"""What Python's json reads in a file of JSON lines, and what Sotto must make of it.

The reference reader: lines end at LF; a byte order mark may open the file; a line of JSON white space alone is no
record; every other line is one json.loads. Of a key that is repeated in one object, json.loads keeps the last value.
"""
import io
import json

BLANK = " \t\r\n"
DEEPEST = 512  # levels of objects and arrays that Sotto follows
TAIL = '>"\\\n\x01\u2028'


def hidden(text):
    """As format_cases.cpp replaces a document."""
    return "<" + text.encode().hex() + TAIL


class Refused(Exception):
    """Sotto must refuse the file; the message is the reason."""


class Object(list):
    """The pairs of a JSON object in order, repeated keys included."""


class Number(str):
    """As it is spelt: 1.0 and 1e400 must come through unchanged."""


def no_constant(name):
    raise Refused("NaN and Infinity are no JSON")


def read(line):
    """The whole structure of a record."""
    try:
        return json.loads(line, object_pairs_hook=Object, parse_int=Number, parse_float=Number,
                          parse_constant=no_constant)
    except json.JSONDecodeError:
        raise Refused("Python reads no JSON here") from None


def lines_of(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("no UTF-8") from None
    lines = text.removeprefix("\ufeff").split("\n")
    return lines if lines[-1] else lines[:-1]


def universal_records(data):
    """The records as `for line in open(path)` gives them, which ends lines at CR too."""
    with io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline=None) as file:
        return [read(line) for line in file if line.strip(BLANK)]


def check_depth(value, nesting=0):
    if nesting > DEEPEST:
        raise Refused("nested too deeply")
    for inner in ([x for _, x in value] if isinstance(value, Object) else value if isinstance(value, list) else []):
        check_depth(inner, nesting + 1)


class Walk:
    """Hides the strings at the paths in one record."""

    def __init__(self, paths):
        self.paths = paths
        self.found, self.missing = set(), set()
        self.documents = 0

    def record(self, value):
        return self.value(value, [(path, path) for path in self.paths])

    def value(self, value, targets):
        """A target is a path and its rest; None: the path ends here."""
        if isinstance(value, Object):
            return self.object(value, targets)
        if isinstance(value, list):
            if not value:
                self.found |= {path for path, _ in targets}
            return [self.value(inner, targets) for inner in value]
        reached = [path for path, rest in targets if rest is None]
        if isinstance(value, str) and not isinstance(value, Number) and reached:
            self.missing |= {path for path, rest in targets if rest is not None}
            self.found |= set(reached)
            self.documents += 1
            if any(0xD800 <= ord(c) <= 0xDFFF for c in value):
                raise Refused("half of a surrogate pair in a chosen string")
            return hidden(value)
        self.missing |= {path for path, _ in targets}
        return value

    def object(self, pairs, targets):
        out, met, matched = Object(), set(), set()
        for key, inner in pairs:
            inner_targets = []
            for path, rest in targets:
                if rest is not None and (rest == key or rest.startswith(key + ".")):
                    inner_targets.append((path, None if rest == key else rest[len(key) + 1:]))
                    matched.add((path, rest))
            if inner_targets and key in met:
                raise Refused("a repeated key on a path")
            met.add(key)
            out.append((key, self.value(inner, inner_targets)))
        self.missing |= {path for path, rest in targets if (path, rest) not in matched}
        return out


class Expected:
    """What Sotto must make of a file. Raises Refused if it must refuse the file."""

    def __init__(self, data, fields, missing):
        if not data:
            raise Refused("empty")
        self.empty_lines = self.missing_fields = self.documents = 0
        self.records, self.lines, found = [], [], set()
        fields = list(dict.fromkeys(fields))
        for line in lines_of(data):
            if not line.strip(BLANK):
                self.empty_lines += 1
                continue
            if "\r" in line.strip(BLANK):
                raise Refused("a lone CR inside the line")
            value = read(line)
            check_depth(value)
            if not isinstance(value, list):
                raise Refused("neither object nor array")
            walk = Walk(fields)
            self.records.append(walk.record(value))
            self.lines.append(line)
            self.documents += walk.documents
            found |= walk.found
            if walk.missing:
                self.missing_fields += 1
                if missing == "refuse":
                    raise Refused("a missing text")
        if missing == "pass" and found != set(fields):
            raise Refused("a field that no record has")


def strings_at(value, keys):
    """As a reader of the plain dictionaries finds them: the last of repeated keys, through lists."""
    if isinstance(value, list):
        return [text for inner in value for text in strings_at(inner, keys)]
    if not keys:
        return [value] if isinstance(value, str) else []
    return strings_at(value[keys[0]], keys[1:]) if isinstance(value, dict) and keys[0] in value else []
