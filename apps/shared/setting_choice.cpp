#include "shared/setting_choice.h"

#include "api/setting.h"
#include "shared/model_choice.h"

namespace sotto::cli {

Setting chosen_setting(const MechanismChoice& choice) {
  return api::chosen_setting(
      choice.mechanism, choice.parameters, [&] { return open_model(choice.model); }, Work{.threads = 0});
}

}  // namespace sotto::cli
