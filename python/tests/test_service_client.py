"""The OpenAPI document of `sotto serve` under a real validator, and a client generated from it that calls every operation.

The operations come from the document, which is made from the server's table of routes. An operation that needs a
body or an id and has no example here fails the test, so a new route cannot be forgotten.
"""
from __future__ import annotations

import importlib
import json
import pathlib
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "sotto"
sys.path.insert(0, str(ROOT / "scripts"))
import service  # noqa: E402  # isort: skip

PACKAGE = "generated_sotto_client"
# A body for each operation that has one.
BODIES: dict[str, dict[str, Any]] = {
    "post /v1/privatize": {"text": "the soup was cold", "epsilon": 2, "subject": "s1", "allow_weak": True},
    "post /v1/ledger": {"subject": "s1"},
    "post /v1/explain": {"word": "soup", "epsilon": 2},
    "post /v1/guess": {"private": "the soup", "epsilon": 2},
    "post /v1/vectors": {"vectors": [[1, 2, 3], [0.5, -1, 2]], "epsilon": 2, "parameters": {"dimension": 2}},
    "post /v1/certificate": {"epsilon": 2},
    "post /v1/measure": {"epsilon": 2, "words": ["soup", "cold"], "copies": 0},
}


@pytest.fixture(scope="module")
def server(model_path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[service.Server]:
    if not PROGRAM.exists():
        pytest.skip("build/sotto is not built")
    folder = tmp_path_factory.mktemp("service")
    with service.Server(PROGRAM, model_path, folder, "--ledger", folder / "ledger.db") as running:
        yield running


@pytest.fixture(scope="module")
def document(server: service.Server) -> dict[str, Any]:
    status, answer, _ = server.ask("GET", "/openapi.json")
    assert status == 200
    return dict(answer)


@pytest.fixture(scope="module")
def client_package(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("openapi_python_client")
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(document))
    (folder / "config.json").write_text(json.dumps({
        "post_hooks": [],  # no formatting
        # The generator knows few types of answers; a picture is text to it.
        "content_type_overrides": {"image/svg+xml": "text/plain"}}))
    done = subprocess.run([sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--path",
                           folder / "openapi.json", "--config", folder / "config.json", "--output-path",
                           folder / PACKAGE, "--fail-on-warning"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield PACKAGE
    sys.path.remove(str(folder))


def make_client(server: service.Server, package: str) -> Any:
    base = importlib.import_module(package)
    httpx = importlib.import_module("httpx")
    return base.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=httpx.Timeout(120))


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(method, path, operation) for path, methods in document["paths"].items()
            for method, operation in methods.items()]


def module_name(operation: dict[str, Any]) -> str:
    """Of the generated function: the generator joins underscores."""
    return re.sub("_+", "_", operation["operationId"]).strip("_")


def body_of(function: Any, values: dict[str, Any]) -> Any:
    """The generated class of the argument `body`, filled."""
    hint = typing.get_type_hints(function)["body"]
    classes = [one for one in typing.get_args(hint) or (hint,) if hasattr(one, "from_dict")]
    assert len(classes) == 1, hint
    return classes[0].from_dict(values)


def new_job(server: service.Server) -> str:
    status, answer, _ = server.ask("POST", "/v1/measure", {"epsilon": 2, "by_draws": True, "draws": 1})
    assert status == 202, answer
    return str(answer["job"])


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    validator = pytest.importorskip("openapi_spec_validator")
    validator.validate(document)
    broken = json.loads(json.dumps(document))
    broken["paths"]["/v1/privatize"]["post"]["responses"] = 7
    with pytest.raises(Exception, match="7|responses|valid"):  # the validator can fail
        validator.validate(broken)


def test_the_generated_client_calls_every_operation(server: service.Server, document: dict[str, Any],
                                                    client_package: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    client = make_client(server, client_package)
    called = []
    for method, path, operation in operations(document):
        name = f"{method} {path}"
        module = importlib.import_module(f"{client_package}.api.default.{module_name(operation)}")
        arguments: dict[str, Any] = {}
        if "requestBody" in operation:
            assert name in BODIES, f"{name} has a body: add an example to BODIES"
            arguments["body"] = body_of(module.sync_detailed, BODIES[name])
        for parameter in operation.get("parameters", []):
            assert parameter["name"] == "job", f"{name} has a parameter: add an example"
            arguments["job"] = new_job(server)
        answer = module.sync_detailed(client=client, **arguments)
        # What takes long is a job.
        assert answer.status_code in ((200, 202) if "202" in operation["responses"] else (200,)), (name, answer.content)
        content = operation["responses"][str(int(answer.status_code))]["content"]
        kind, described = next(iter(content.items()))
        assert answer.headers["content-type"] == kind
        if kind == "application/json":
            assert answer.parsed is not None, name
            schema = {**described["schema"], "components": document["components"]}
            jsonschema.Draft202012Validator(schema).validate(json.loads(answer.content))
        called.append(name)
    assert len(called) == len(set(called)) == len(operations(document)) >= 8
    print(f"called: {', '.join(called)}")


def test_the_generated_client_reads_problems(server: service.Server, client_package: str) -> None:
    client = make_client(server, client_package)
    module = importlib.import_module(f"{client_package}.api.default.post_v1_privatize")
    answer = module.sync_detailed(client=client, body=body_of(module.sync_detailed, {"text": "zqxcanaryword", "epsilon": 0}))
    assert answer.status_code == 422
    assert "zqxcanaryword" not in answer.content.decode()
    assert isinstance(answer.parsed, importlib.import_module(f"{client_package}.models").Problem)
    assert answer.parsed.status == 422 and answer.parsed.type_ == "urn:sotto:problem:field"
