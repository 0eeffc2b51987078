#include "cli/evaluate/text.h"

#include <fmt/format.h>

#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {

std::string EvaluateLine::operator()(const Mechanism& mechanism) const {
  std::vector<std::string> words = {"sotto", "privatize", file};
  words.insert(words.end(), reading.begin(), reading.end());
  if (!model.empty()) words.insert(words.end(), {"--model", model});
  words.insert(words.end(), {"--mechanism", std::string(mechanism.info->name)});
  for (const auto& [name, value] : mechanism.parameters.texts())
    words.insert(words.end(), {"--" + name, value});
  words.insert(words.end(), {"-o", "private" + std::filesystem::path(file).extension().string()});
  return html::shell_line(words);
}

std::string accuracy_text(const AccuracyRange& range) {
  return range.deviation > 0 ? fmt::format("{:.3f} +- {:.3f}", range.mean, range.deviation)
                             : fmt::format("{:.3f}", range.mean);
}

std::string attacker_text(const Quantity& e_opt) {
  if (e_opt.value) return fmt::format("{:.3f}", *e_opt.value);
  return fmt::format("{:.3f} to {:.3f}", e_opt.interval.low, e_opt.interval.high);
}

std::string evaluate_text(const api::EvaluateAnswer& answer, const EvaluateLine& line) {
  const Evaluation& found = answer.evaluation;
  std::string out =
      fmt::format("{} texts to learn from, {} to test on, {} classes; the model knows {} of their words\n",
                  grouped(found.trained), grouped(found.tested), answer.classes, percent(answer.known_share));
  out += answer.public_texts > 0
             ? fmt::format("public texts  {}\n", grouped(answer.public_texts))
             : std::string("public texts  none: lifted features come from the model's vectors (--public)\n");
  out += fmt::format("accuracy of the most frequent class      {:.3f}\n", found.majority);
  out += fmt::format("accuracy trained and tested on clear     {:.3f}\n\n", found.clear);
  out +=
      "                                         tested on clear text               tested on private text\n";
  out += "epsilon  words kept  E_opt            direct           lifted           direct           lifted\n";
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const EvaluationRow& row = found.rows[i];
    out += fmt::format("{:<7}  {:<10}  {:<15}  {:<15}  {:<15}  {:<15}  {}\n",
                       number_text(answer.mechanisms[i].claim.epsilon), percent(row.unchanged),
                       attacker_text(row.e_opt), accuracy_text(row.direct_on_clear),
                       accuracy_text(row.lifted_on_clear), accuracy_text(row.direct_on_private),
                       accuracy_text(row.lifted_on_private));
  }
  out +=
      "\nwords kept: expected share of words that stay as they are. E_opt: how often the best attacker, who\n"
      "knows the word counts of the training texts, guesses a word of the model wrongly. direct: trained on\n"
      "private words as if they were true. lifted: trained on the expected features of the words that were\n"
      "there before.\n\n";
  if (const auto chosen = answer.chosen()) {
    out += fmt::format(
        "chosen: epsilon {}, the most private row that loses at most {:.3f}, by {} training\n  {}\n",
        number_text(answer.mechanisms[*chosen].claim.epsilon), answer.max_drop,
        api::better_learner(found.rows[*chosen]), line(answer.mechanisms[*chosen]));
  } else {
    out += fmt::format(
        "chosen: none, every row loses more than {:.3f}: try a larger --epsilon, --public, or --max-drop\n",
        answer.max_drop);
  }
  return out + "\n" + wrapped(api::kEvaluateNote, 100, 0) + "\n";
}

}  // namespace sotto::cli
