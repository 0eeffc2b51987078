"""sotto.spark without a cluster; test_spark_cluster.py has one."""

import subprocess
import sys

import pytest

pandas = pytest.importorskip("pandas")

import sotto.spark  # noqa: E402
from sotto import _configuration  # noqa: E402

TEXT = "the doctor told my sister that the soup was cold and the film was too long"


def test_partitions_keep_rows_order_and_other_columns(model_path):
    privatize = sotto.spark.privatize_partitions(column=["one", "two"], model=model_path, epsilon=1)
    frame = pandas.DataFrame(
        {"id": [3, 1, 2], "one": [TEXT, None, ""], "two": ["a b.", "c!", "d?"]}, index=[7, 8, 9]
    )
    (answer,) = privatize(iter([frame]))
    assert list(answer.columns) == ["id", "one", "two"] and list(answer["id"]) == [3, 1, 2]
    assert list(answer.index) == [7, 8, 9]
    assert answer["one"].isna().tolist() == [False, True, False] and answer["one"][9] == ""
    assert answer["one"][7] != TEXT and [text[-1] for text in answer["two"]] == [".", "!", "?"]
    assert list(frame["two"]) == ["a b.", "c!", "d?"], "Spark's frame is not written to"


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({}, ValueError),
        ({"epsilon": 0}, ValueError),
        ({"epsilon": 1, "mechanism": "no such"}, KeyError),
        ({"epsilon": 1, "model": "/no/such/file"}, OSError),
        ({"epsilon": 1, "unknown": "perhaps"}, ValueError),
    ],
)
def test_the_driver_refuses_what_the_engine_refuses(model_path, parameters, error):
    with pytest.raises(error):
        sotto.spark.privatize_partitions("text", **{"model": model_path, **parameters})


def test_configuration_travels_and_the_model_does_not(model_path, tmp_path):
    cloudpickle = pytest.importorskip("cloudpickle")  # what Spark uses, without Spark

    blob = cloudpickle.dumps(sotto.spark.privatize_partitions("text", model=model_path, epsilon=1))
    assert len(blob) < 5000
    (tmp_path / "task").write_bytes(blob)
    code = """
import pickle, sys, pandas
task = open(sys.argv[1], "rb").read()
frame = pandas.DataFrame({"text": [sys.argv[2]] * 20})
texts = [text for _ in range(2) for part in pickle.loads(task)(iter([frame])) for text in part["text"]]
from sotto import _configuration
assert _configuration._opened.cache_info().misses == 1, "the model is opened once per process"
assert _configuration._privatizer.cache_info().misses == 1
print(len(set(texts)))
"""
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "task", TEXT], capture_output=True, text=True, check=False
    )
    assert run.stdout.strip() == "40", run.stderr


def test_another_model_at_the_same_path_is_refused(model_path, small_model, tmp_path):
    cloudpickle = pytest.importorskip("cloudpickle")  # what Spark uses, without Spark

    path = tmp_path / "model.sotto"
    path.write_bytes(model_path.read_bytes())
    blob = cloudpickle.dumps(sotto.spark.privatize_partitions("text", model=path, epsilon=1))
    path.unlink()
    small_model.save(path)
    _configuration._privatizer.cache_clear()  # as in a process that starts now
    with pytest.raises(ValueError, match="same file on every machine"):
        list(cloudpickle.loads(blob)(iter([pandas.DataFrame({"text": [TEXT]})])))


def test_the_udf_is_declared_nondeterministic(model_path):
    pytest.importorskip("pyspark", reason="PySpark is not installed; `make test-slow` does it")
    assert not sotto.spark.privatize_udf(model=model_path, epsilon=1).deterministic
