"""Random files of JSON lines: mostly right, with every fault that we know of now and then."""
import json

CANARIES = ["zanzibarcanary", "quetzalcanary", "Żółwcanary", "çanary\u0301"]
PATHS = [["text"], ["a.b"], ["text", "meta.note"], ["items.text"], ["é"], ["a", "a.b"], ["a.b.c"], ["t t"]]
STRANGE = ["\u2028", "\u2029", "\x85", "\x7f", "\ufeff", "\U0001f600", "\u0000", "\x0b", "\x0c", "\x1c", "\r", "\n", "\t",
           '"', "\\", "/", "{", "}", "[", "]", ",", ":", "é", "e\u0301", "\u200b", "<br>", " "]
NUMBERS = ["0", "-0", "1", "12345678901234567890123456789", "1.0", "1e400", "-1E-5", "0.5e+3", "1E5"]
BAD_NUMBERS = ["01", "1.", ".5", "+1", "NaN", "Infinity", "-Infinity", "0x1", "1e", "--1", "-", "1_000"]


class Files:
    def __init__(self, random):
        self.random = random

    def sometimes(self, share):
        return self.random.random() < share

    def file(self):
        """Fields, what to do with missing texts, bytes."""
        r = self.random
        self.fields = r.choice(PATHS)
        self.rate = r.choice([0, 0, 0.01, 0.05])  # of faults that are put in on purpose
        end = r.choice(["\n", "\n", "\r\n"])
        out = "\ufeff" if self.sometimes(0.05) else ""
        for _ in range(r.choice([1, 1, 2, 3, 5])):
            if self.sometimes(0.08):
                out += r.choice(["", " ", "\t \r", " \r ", "  "]) + "\n"
            if self.sometimes(self.rate):
                out += r.choice(["\x0b", "\u2028", "\x85", "\ufeff", "\x0c", "null", '"zanzibarcanary"', "5", "\xa0"]) + "\n"
            record = self.spelt(self.record())
            if self.sometimes(0.02):
                record = "\r" + record + " \r"
            this_end = "\r" if self.sometimes(self.rate) else end
            out += record + this_end
        if self.sometimes(0.3):
            out = out.removesuffix("\n")
        data = out.encode("utf-8", "surrogatepass")
        if self.sometimes(0.12):
            data = self.damaged(data)
        return self.fields, r.choice(["refuse", "refuse", "pass"]), data

    def damaged(self, data):
        r = self.random
        data = bytearray(data)
        for _ in range(r.choice([1, 1, 2, 4])):
            at = r.randrange(len(data) + 1)
            change = r.randrange(4)
            if change == 0:
                data[at:at] = r.choice([b"\r", b"\n", b'"', b"\\", b"\xff", b"\xc2", b"\xed\xa0\x80", b",", b"}", b"{", b"\x00",
                                        b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"//", b"1", b"]"])
            elif change == 1 and at < len(data):
                data[at] = r.randrange(256)
            elif change == 2:
                del data[at:at + r.choice([1, 1, 5])]
            else:
                start = r.randrange(len(data) + 1)
                data[at:at] = data[start:start + r.randrange(20)]
        return bytes(data)

    def record(self):
        r = self.random
        value = self.object(0)
        for path in self.fields:
            if not self.sometimes(2 * self.rate):
                self.put(value, path)
        if self.sometimes(0.1):
            return ["array", [value] if not self.sometimes(0.5) else [self.record(), value]]
        if self.sometimes(self.rate):
            return self.value(0)
        return value

    def put(self, record, path):
        """Puts a text at the path into the pairs of an object, now and then by way of a name with dots or of arrays."""
        r = self.random
        parts = path.split(".")
        while len(parts) > 1 and self.sometimes(0.1):
            parts[0:2] = [".".join(parts[0:2])]
        pairs = record[1]
        for part in parts[:-1]:
            inner = next((v for k, v in pairs if k == part and v[0] == "object"), None)
            if inner is None or self.sometimes(self.rate):
                pairs[:] = [pair for pair in pairs if pair[0] != part or self.sometimes(self.rate)]
                inner = self.object(4)
                arrays = [["array", [inner] + [self.complete(path, part) for _ in range(r.randrange(2))]]]
                pairs.insert(r.randrange(len(pairs) + 1), (part, r.choice(arrays) if self.sometimes(0.2) else inner))
            pairs = inner[1]
        pairs[:] = [pair for pair in pairs if pair[0] != parts[-1] or self.sometimes(self.rate)]
        pairs.insert(r.randrange(len(pairs) + 1), (parts[-1], self.chosen(0)))

    def complete(self, path, part):
        """Another element of an array, which mostly has the rest of the path too."""
        element = ["object", []]
        if not self.sometimes(self.rate):
            self.put(element, path.removeprefix(part + ".") if path.startswith(part + ".") else path)
        return element

    def chosen(self, depth):
        r = self.random
        if self.sometimes(2 * self.rate):
            return self.value(3)
        if depth < 3 and self.sometimes(0.15):
            if self.sometimes(0.05):
                deep = r.choice([20, 505, 509, 510, 511, 512, 513, 600])
                return ["raw", "[" * deep + '"quetzalcanary"' * r.randrange(2) + "]" * deep]
            return ["array", [self.chosen(depth + 1) for _ in range(r.randrange(4))]]
        return ["string", self.text()]

    def value(self, depth):
        r = self.random
        kind = r.randrange(5 if depth > 2 else 8)
        if kind == 0:
            return ["raw", r.choice(BAD_NUMBERS if self.sometimes(self.rate) else NUMBERS)]
        if kind == 1:
            return ["raw", r.choice(["true", "false", "null"])]
        if kind in (2, 3, 4):
            return ["string", self.text()]
        if kind == 5:
            return ["array", [self.value(depth + 1) for _ in range(r.randrange(3))]]
        return self.object(depth + 1)

    def key(self):
        r = self.random
        names = [part for path in self.fields for part in (path, *path.split("."))] if self.sometimes(self.rate) else []
        return r.choice(["id", "x", "Text", "text ", "", "a.", ".b", "zanzibarcanary", "meta.x", "e\u0301", *names])

    def object(self, depth):
        pairs = [(self.key(), self.value(depth + 1)) for _ in range(self.random.randrange(4))]
        return ["object", pairs]

    def text(self):
        r = self.random
        words = [r.choice(CANARIES) if self.sometimes(0.7) else r.choice(STRANGE) for _ in range(r.randrange(5))]
        if self.sometimes(self.rate):
            words.insert(0, r.choice(["\ud800", "\udc00", "\ude00\ud83d"]))
        return r.choice(["", " "]).join(words)

    def spelt(self, value):
        kind, inner = value
        if kind == "raw":
            return inner
        if kind == "string":
            return self.quoted(inner)
        gap = self.gap
        if kind == "array":
            return "[" + gap() + ("," + gap()).join(self.spelt(each) + gap() for each in inner) + "]"
        members = [self.quoted(key) + gap() + ":" + gap() + self.spelt(each) + gap() for key, each in inner]
        if inner and self.sometimes(self.rate):  # a repeated key, spelt anew
            key, each = self.random.choice(inner)
            again = self.spelt(["string", "quetzalcanary"] if self.sometimes(0.5) else each)
            members.insert(self.random.randrange(len(members) + 1), self.quoted(key) + ":" + again)
        trailing = "," if self.sometimes(self.rate / 4) else ""
        return "{" + gap() + ("," + gap()).join(members) + trailing + "}"

    def gap(self):
        if self.sometimes(0.9):
            return ""
        return "\r" if self.sometimes(self.rate) else self.random.choice([" ", "\t", "  "])

    def quoted(self, text):
        r = self.random
        style = r.randrange(3)
        if style == 0:
            return json.dumps(text)
        out = ""
        for c in text:
            short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x0c": "\\f", "\x08": "\\b"}
            if 0xD800 <= ord(c) <= 0xDFFF or (style == 1 and self.sometimes(0.2)):
                escape = json.dumps(c)[1:-1] if ord(c) >= 0x10000 else f"\\u{ord(c):04x}"
                out += escape if self.sometimes(0.5) else "\\u" + escape[2:].upper().replace("\\U", "\\u")
            elif c in short:
                out += short[c]
            elif c == "/" and self.sometimes(0.5):
                out += "\\/"
            elif ord(c) < 0x20 and not self.sometimes(self.rate):
                out += f"\\u{ord(c):04x}"
            else:
                out += c
        return '"' + out + '"'
