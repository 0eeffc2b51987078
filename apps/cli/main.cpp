#include "cli/commands.h"
#include "shared/program.h"

int main(int argc, char** argv) {
  return sotto::cli::run_program({argv + 1, argv + argc}, sotto::cli::run_sotto);
}
