"""Worker processes: datasets.map, joblib and multiprocessing. No two of them may draw the same noise."""

import multiprocessing

import pytest
import sotto

# At epsilon 0.5 on the small model two releases of this text are alike with probability below 1e-12.
TEXT = "the doctor told my sister that the soup was cold and the film was too long"


def privatizer(model_path):
    return sotto.Privatizer(sotto.Mechanism("tem", sotto.Model.open(model_path), epsilon=0.5))


def release(task):
    made, texts = task
    return list(made.privatize(texts))


def assert_all_distinct(answers, number):
    assert len(answers) == number and len(set(answers)) == number


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(model_path, method):
    made = privatizer(model_path)
    release((made, [TEXT]))  # whatever state there is exists before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        parts = pool.map(release, [(made, [TEXT] * 50)] * 4, chunksize=1)
    assert_all_distinct([text for part in parts for text in part] + release((made, [TEXT] * 50)), 250)


INHERITED = None


def release_inherited(number):
    return release((INHERITED, [TEXT] * number))


def test_an_object_inherited_by_fork(model_path):
    # Nothing is pickled here: both children and the parent use the object that existed before the fork.
    global INHERITED
    INHERITED = privatizer(model_path)
    release_inherited(1)
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as one, context.Pool(1) as two:
        answers = [one.apply_async(release_inherited, (50,)), two.apply_async(release_inherited, (50,))]
        texts = [text for answer in answers for text in answer.get(60)]
    assert_all_distinct(texts + release_inherited(50), 150)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib(model_path, backend):
    joblib = pytest.importorskip("joblib")
    made = privatizer(model_path)
    release((made, [TEXT]))
    parts = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(release)((made, [TEXT] * 50)) for _ in range(4)
    )
    assert_all_distinct([text for part in parts for text in part], 200)


def test_joblib_and_estimators(model_path):
    joblib = pytest.importorskip("joblib")
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("sklearn")
    vectors = sotto.PrivEmb(dimension=3, epsilon=1).fit(numpy.zeros((1, 5)))
    parts = joblib.Parallel(n_jobs=2)(
        joblib.delayed(vectors.transform)(numpy.zeros((50, 5))) for _ in range(4)
    )
    assert len(numpy.unique(numpy.concatenate(parts), axis=0)) == 200


def test_datasets_map(model_path):
    datasets = pytest.importorskip("datasets")
    made = privatizer(model_path)
    rows = datasets.Dataset.from_dict({"id": list(range(400)), "text": [TEXT] * 400})
    private = rows.map(lambda batch: {"text": list(made.privatize(batch["text"]))}, batched=True, num_proc=4)
    assert list(private["id"]) == list(range(400))
    assert_all_distinct(list(private["text"]), 400)


def test_datasets_map_row_by_row(model_path):
    datasets = pytest.importorskip("datasets")
    made = privatizer(model_path)
    rows = datasets.Dataset.from_dict({"text": [TEXT] * 40})
    private = rows.map(lambda row: {"text": made.privatize([row["text"]])[0]}, num_proc=4)
    assert_all_distinct(list(private["text"]), 40)
