"""Presidio's anonymizer behind HTTP, for bench/serve.py: POST /anonymize as its own service has it.

The package on PyPI has the engine; the Flask program of its repository is not in the package. This is the same call.
"""
from flask import Flask, jsonify, request
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import RecognizerResult

app = Flask(__name__)
engine = AnonymizerEngine()


@app.post("/anonymize")
def anonymize():
    content = request.get_json()
    found = [RecognizerResult(entity_type=one["entity_type"], start=one["start"], end=one["end"], score=one["score"])
             for one in content["analyzer_results"]]
    result = engine.anonymize(text=content["text"], analyzer_results=found)
    return jsonify({"text": result.text, "items": [vars(item) for item in result.items]})
