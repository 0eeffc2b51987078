#include "sotto/setting.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"

namespace sotto {
namespace {

double two_digits_down(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::floor(value / unit) * unit;
}

ForecastOptions quick_forecast(const Work& work) {
  return {.words = 64, .draws_per_word = 4, .threads = work.threads};
}

double unchanged_at(const Mechanism& mechanism, double epsilon, const Work& work) {
  ParameterTexts texts = mechanism.parameters.texts();
  texts["epsilon"] = number_text(epsilon);
  return forecast(build_mechanism(mechanism.info->name, mechanism.space->shared_model(), texts).mechanism,
                  quick_forecast(work))
      .unchanged;
}

// An epsilon with which about half of the words are expected to change, to two digits: halved until it is
// low enough, then up again by geometric means. Empty if none is found.
std::optional<double> epsilon_to_try(const Mechanism& mechanism, const Work& work) {
  constexpr int kHalvings = 8;
  constexpr int kRefinements = 2;
  double high = mechanism.claim.epsilon;
  double low = high / 2;
  for (int i = 0; unchanged_at(mechanism, low, work) > kWeakUnchanged; ++i) {
    if (i == kHalvings) return std::nullopt;
    high = low;
    low /= 2;
  }
  for (int i = 0; i < kRefinements; ++i) {
    const double middle = std::sqrt(low * high);
    (unchanged_at(mechanism, middle, work) > kWeakUnchanged ? high : low) = middle;
  }
  return two_digits_down(low);
}

std::string proposal(std::string_view mechanism, ParameterTexts others, const OpenModel& open_model,
                     const Work& work) {
  // The forecast of vectors looks at every word for every draw: too slow for a search.
  if (find_mechanism(mechanism).build_vectors != nullptr) {
    return "how large it should be depends on the mechanism and on the lengths of the vectors";
  }
  try {
    others.erase("epsilon");
    const auto found =
        open_model ? epsilon_to_begin_with(mechanism, others, open_model(), work) : std::nullopt;
    if (found) {
      return fmt::format(
          "try `epsilon` {:.2g}, with which about half of the words stay as they are on this model", *found);
    }
  } catch (const Error&) {  // no model, or another parameter that is wrong: told when the epsilon is there
  }
  return "how large it should be depends on the mechanism and the model; `sotto explain` shows what an "
         "epsilon does to a word";
}

// Whether a message of parse_setting() is about the epsilon.
bool is_about_epsilon(std::string_view message) {
  return message.find(" needs `epsilon` (") != std::string_view::npos ||
         message.starts_with("`epsilon` must be ");
}

}  // namespace

std::string setting_to_try(const Mechanism& mechanism, const Work& work) {
  const bool is_registered = mechanism.info->build != nullptr;
  if (!is_registered || !mechanism.parameters.has("epsilon")) return "another `mechanism`";
  // Calibrating takes too long for a guess.
  const std::optional<double> lower =
      mechanism.claim.by_certificate ? std::nullopt : epsilon_to_try(mechanism, work);
  return lower ? fmt::format("`epsilon` {:.2g}", *lower) : "a smaller `epsilon`";
}

std::optional<double> epsilon_to_begin_with(std::string_view mechanism, const ParameterTexts& texts,
                                            const std::shared_ptr<const Model>& model, const Work& work) {
  constexpr int kSteps = 20;
  if (texts.contains("calibration")) return std::nullopt;
  // A law that takes all pairs of words to build takes too long for a guess.
  constexpr std::size_t kMostWords = 2000;
  if (find_mechanism(mechanism).costs_all_pairs && model->size() > kMostWords) return std::nullopt;
  // An epsilon that the mechanism refuses is too small for it (gumbel-topk).
  const auto is_low = [&](double epsilon) {
    ParameterTexts tried = texts;
    tried["epsilon"] = number_text(epsilon);
    const Setting setting = parse_setting(mechanism, tried);
    try {
      return forecast(build_mechanism(setting, model, work).mechanism, quick_forecast(work)).unchanged <=
             kWeakUnchanged;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      return true;
    }
  };
  double low = 1;
  double high = 2;
  if (is_low(1)) {
    for (int i = 0; is_low(high); ++i, low = high, high *= 2) {
      if (i == kSteps) return std::nullopt;
    }
  } else {
    for (int i = 0; !is_low(low); ++i, high = low, low /= 2) {
      if (i == kSteps) return std::nullopt;
    }
  }
  for (int i = 0; i < 2; ++i) {
    const double middle = std::sqrt(low * high);
    (is_low(middle) ? low : high) = middle;
  }
  return two_digits_down(low);
}

Setting chosen_setting(std::string_view mechanism, const ParameterTexts& texts, const OpenModel& open_model,
                       const Work& work) {
  try {
    return parse_setting(mechanism, texts);
  } catch (const Error& error) {
    if (!is_about_epsilon(error.what())) throw;
    throw Error(error.code(),
                fmt::format("{}; {}", error.what(), proposal(mechanism, texts, open_model, work)));
  }
}

}  // namespace sotto
