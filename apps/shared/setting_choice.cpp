#include "shared/setting_choice.h"

#include "shared/model_choice.h"
#include "sotto/setting.h"

namespace sotto::cli {

Setting chosen_setting(const MechanismChoice& choice) {
  return sotto::chosen_setting(
      choice.mechanism, choice.parameters, [&] { return open_model(choice.model); }, Work{.threads = 0});
}

}  // namespace sotto::cli
