# One libFuzzer target per parser: fuzz/<name>.cpp, seeds in fuzz/corpus/<name>.
set(SOTTO_FUZZ_TARGETS
  model glove_text word2vec_text word2vec_binary fasttext_bin npm_json npy npz compressed tar csv tsv jsonl text
  words parameters verify lm arpa sphinx_lm request)
