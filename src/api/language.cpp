#include "api/language.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attack/arpa.h"
#include "attack/documents.h"
#include "attack/kneser_ney.h"
#include "attack/token_text.h"
#include "sotto/error.h"

namespace sotto::api {

LanguageAnswer train_language_model(const LanguageTrainRequest& request, const Work& work) {
  if (request.order < 1 || request.order > 3) {
    throw Error(ErrorCode::usage, fmt::format("`order` is {}; it can be 1, 2 or 3", request.order));
  }
  work.at("reading");
  Tokeniser tokeniser(request.model, request.unknown_word,
                      request.strip_html ? Tokeniser::Html::strip : Tokeniser::Html::keep);
  TokenSample sample;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&request.text)) {
    for (const std::string& text : *texts) tokeniser.add(text, sample);
  } else {
    for (const auto& path : std::get<std::vector<std::filesystem::path>>(request.text)) {
      for_each_document(path, request.reading,
                        [&](std::string_view document) { tokeniser.add(document, sample); });
    }
  }
  work.at("training");
  LanguageAnswer answer{.model = request.model,
                        .documents = sample.text.documents(),
                        .tokens = sample.text.words.size(),
                        .unknown = sample.unknown};
  answer.file = LanguageModelFile::make(train_kneser_ney(sample.text, request.model->identity(),
                                                         request.model->size(), tokeniser.anchor(),
                                                         {.order = static_cast<unsigned>(request.order)}));
  return answer;
}

LanguageAnswer import_language_model(const LanguageImportRequest& request, const Work& work) {
  work.at("reading");
  ArpaImport imported = import_arpa(request.file, request.model, request.unknown_word);
  return {.model = request.model,
          .file = LanguageModelFile::make(imported.parts),
          .tokens = imported.words,
          .unknown = imported.unknown};
}

Json to_json(const LanguageAnswer& answer) {
  const LanguageModel& lm = answer.file->model();
  Json out = start_answer("sotto.lm/1");
  out["model"] = model_json(*answer.model);
  out["order"] = lm.order;
  out["documents"] = answer.documents;
  out["tokens"] = answer.tokens;
  out["unknown"] = answer.unknown;
  out["unknown_word"] = answer.model->word(lm.anchor);
  out["bigrams"] = lm.bigrams.words.size();
  out["trigrams"] = lm.trigrams.words.size();
  out["held_out_tokens"] = lm.held_out.size();
  out["bytes"] = answer.file->bytes().size();
  return out;
}

}  // namespace sotto::api
