"""Malformed requests, each with a canary: bytes to send, and the statuses that the contract allows for them.

`random_case(rng)` makes one. CASES lists the kinds; docs/service.md has the table of statuses.
"""
import dataclasses
import json

CANARY = "zebrafish"
PATH = "/v1/privatize"
STATUSES = {200, 400, 404, 405, 408, 413, 415, 421, 422, 429, 431, 503}
GOOD = {"text": f"good {CANARY}", "epsilon": 1, "allow_weak": True}


@dataclasses.dataclass
class Case:
    name: str
    data: bytes
    statuses: set
    may_close: bool = False  # without an answer: what was sent is no whole request


def http(body=b"", method="POST", path=PATH, headers=(), length=None, host="localhost"):
    head = {"Host": host, "Content-Type": "application/json", **dict(headers)}
    head["Content-Length"] = len(body) if length is None else length
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value is not None)
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def posted(statuses, body, **others):
    return http(body if isinstance(body, bytes) else json.dumps(body).encode(), **others), statuses


def truncated(rng):
    whole = json.dumps(GOOD).encode()
    return posted({400}, whole[:rng.randrange(len(whole))])


def not_utf8(rng):
    bad = rng.choice([b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\xaf", b"\x80"])
    return posted({400}, json.dumps(GOOD).encode().replace(b"good", b"good" + bad))


def key_twice(rng):
    name = rng.choice(list(GOOD))
    return posted({400}, (json.dumps(GOOD)[:-1] + f', "{name}": {json.dumps(GOOD[name])}}}').encode())


def too_large_number(rng):
    number = rng.choice(["1e400", "-1e309", "1" * 400, "1e999999999"])
    return posted({400}, json.dumps(GOOD).replace('"epsilon": 1', f'"epsilon": {number}').encode())


def deep(rng):
    depth = rng.choice([100, 1000, 100_000])
    opening, closing = rng.choice([("[", "]"), ('{"a":', "}")])
    return posted({400}, (f'{{"text": "{CANARY}", "parameters": ' + opening * depth + "1" + closing * depth + "}").encode())


def content_type(rng):
    kind = rng.choice(["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "multipart/form-data", CANARY, None,
                       "application/json; charset=latin1"])
    return posted({415}, GOOD, headers={"Content-Type": kind})


def content_encoding(rng):
    return posted({415}, GOOD, headers={"Content-Encoding": rng.choice(["gzip", "br", CANARY])})


def unknown_field(rng):
    return posted({422}, {**GOOD, rng.choice([CANARY, "epsilonn", "Text", "", "text "]): rng.choice([1, None, CANARY])})


def other_type(rng):
    name = rng.choice(["text", "epsilon", "allow_weak", "mechanism", "parameters", "options", "document", "subject", "texts"])
    return posted({422}, {**GOOD, name: rng.choice([None, [CANARY, {}], {CANARY: {}}])})


def text_and_texts(rng):
    body = rng.choice([{"epsilon": 1, "subject": CANARY}, {**GOOD, "texts": [CANARY]}, {"texts": [], "epsilon": 1},
                       {"texts": [CANARY] * 1001, "epsilon": 1}, {**GOOD, "documents": [CANARY]}])
    return posted({422}, body)


def out_of_range(rng):
    return posted({422}, {**GOOD, "epsilon": rng.choice([0, -1, "nan", "inf", "0x10", CANARY, "", "1e400", " 1", -0.0])})


def bad_setting(rng):
    return posted({422}, rng.choice([
        {**GOOD, "mechanism": CANARY}, {**GOOD, "mechanism": "identity", "epsilon": 1}, {**GOOD, "parameters": {"gamma": CANARY}},
        {**GOOD, "parameters": {CANARY: 1}}, {**GOOD, "options": {"unknown_word": CANARY}}, {**GOOD, "options": {CANARY: True}},
        {**GOOD, "epsilon": 1e6, "allow_weak": False}]))


def no_object(rng):
    return posted({422}, rng.choice([[GOOD], CANARY, 7, None, True]))


def path_of_nothing(rng):
    path = rng.choice([f"/{CANARY}", "/../../etc/passwd", "/v1/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/v1/privatize/",
                       "//v1/privatize", "/v1%2fprivatize", "/V1/PRIVATIZE", "/v1/privatize%00", "/..", "/.git/config", "*"])
    return posted({404}, GOOD, path=path)


def other_method(rng):
    return posted({405}, GOOD, method=rng.choice(["GET", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]))


def a_query(rng):
    return posted({422}, GOOD, path=f"{PATH}?text={CANARY}")


def another_host(rng):
    return posted({421}, GOOD, host=rng.choice(["example.org", CANARY, "localhost.example.org:7411", "[::2]", ""]))


def retry_key(rng):
    return posted({422}, GOOD, headers={"Idempotency-Key": rng.choice([CANARY, "a" * 129, "x" * 15, "0123456789 abcdef"])})


def header_twice(rng):
    return posted({400}, GOOD, headers={rng.choice(["content-type", "CONTENT-TYPE"]): "application/json"})


def too_long(rng):
    return http(CANARY.encode(), length=rng.choice([2**20 + 1, 10**9, 2**40])), {413}


def bad_length(rng):
    return http(CANARY.encode(), length=rng.choice(["-1", "1e3", "0x10", "9, 9", CANARY, "99999999999999999999999"])), {400, 413}


def two_lengths(rng):
    body = json.dumps(GOOD).encode()
    return http(body, headers=rng.choice([{"content-length": len(body) + 1}, {"Transfer-Encoding": "chunked"}])), {400}


def chunks(rng):
    chunk = rng.choice([b"zz\r\n{}\r\n", b"-1\r\n{}\r\n", b"ffffffffffffffffff\r\n", b"5\r\nab", b"2\r\n{}xx0\r\n\r\n"])
    return http(chunk).replace(b"Content-Length: %d" % len(chunk), b"Transfer-Encoding: chunked"), {400, 413}


def many_headers(rng):
    lines = "".join(f"X-{i}: {CANARY}\r\n" for i in range(rng.choice([1_000, 10_000])))
    return f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode(), {431}


def long_line(rng):
    return f"GET /{CANARY * 5_000} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), {431}


def no_http(rng):
    data = rng.choice([f"{CANARY}\r\n\r\n".encode(), b"GET /healthz\r\n\r\n", b"GET /healthz HTTP/9.9\r\n\r\n", b"\r\n" * 50,
                       b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(200),
                       rng.randbytes(rng.randrange(1, 400)), b"GET /healthz HTTP/1.1\r\n zebrafish: x\r\n\r\n"])
    return data, {400, 404, 431}, True


def half_a_request(rng):
    whole = http(json.dumps(GOOD).encode())
    return whole[:rng.randrange(1, len(whole) - 1)], {400}, True


def flipped_bytes(rng):
    """What it becomes is not known: any status of the contract, or none if the request is not whole any more."""
    data = bytearray(http(json.dumps({**GOOD, "parameters": {"gamma": "inf"}}).encode(), headers={"Accept": "*/*"}))
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data), STATUSES, True


CASES = [truncated, not_utf8, key_twice, too_large_number, deep, content_type, content_encoding, unknown_field, other_type,
         text_and_texts, out_of_range, bad_setting, no_object, path_of_nothing, other_method, a_query, another_host, retry_key,
         header_twice, too_long, bad_length, two_lengths, chunks, many_headers, long_line, no_http, half_a_request, flipped_bytes]


def random_case(rng):
    make = rng.choice(CASES)
    data, statuses, *may_close = make(rng)
    return Case(make.__name__, data, statuses, bool(may_close))
