#include "lab/experiments.h"
#include "sotto/error.h"

namespace sotto::lab {

void run_tem(const RunRequest& /*request*/) { throw Error(ErrorCode::internal, "not there yet"); }

}  // namespace sotto::lab
