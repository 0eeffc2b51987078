#pragma once
#include "shared/command_line.h"

namespace sotto::cli {

// One command of the program. Dispatch, help and error messages are made from the table of these.
struct Command {
  const char* name;     // the words after `sotto`: "certify", "model info"
  const char* summary;  // what the command does, in full sentences
  const char* example;  // a whole command line
  // Takes the words after the name. Returns kDone or kAnswerIsNo, or throws sotto::Error.
  int (*run)(Words words);
};

// Runs `sotto WORDS...`: finds the command, or prints help or the version. Throws Error(usage) for a command
// that does not exist.
int run_sotto(Words words);

// Each is defined in the folder of its command.
int run_privatize(Words words);
int run_columns(Words words);
int run_vectors(Words words);
int run_explain(Words words);
int run_certify(Words words);
int run_audit(Words words);
int run_measure(Words words);
int run_attack(Words words);
int run_evaluate(Words words);
int run_lift(Words words);
int run_tune(Words words);
int run_verify(Words words);
int run_dossier(Words words);
int run_ledger_show(Words words);
int run_ledger_verify(Words words);
int run_ledger_head(Words words);
int run_ledger_export(Words words);
int run_serve(Words words);
int run_serve_key_create(Words words);
int run_mechanisms(Words words);
int run_lm_train(Words words);
int run_lm_fetch(Words words);
int run_lm_import(Words words);
int run_model_fetch(Words words);
int run_model_import(Words words);
int run_model_extend(Words words);
int run_model_info(Words words);
int run_model_list(Words words);
int run_model_prepare(Words words);

}  // namespace sotto::cli
