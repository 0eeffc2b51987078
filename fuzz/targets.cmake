# One libFuzzer target per parser: fuzz/<name>.cpp, seeds in fuzz/corpus/<name>.
set(SOTTO_FUZZ_TARGETS
  model glove_text word2vec_text word2vec_binary npm_json compressed tar csv tsv jsonl text words parameters)
