#include "api/language.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attack/arpa.h"
#include "attack/documents.h"
#include "attack/english.h"
#include "attack/kneser_ney.h"
#include "attack/sphinx_lm.h"
#include "attack/token_text.h"
#include "core/private_folder.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

constexpr char kEnglishSource[] = "24 MB, the Debian package pocketsphinx-en-us, by apt-get";

}  // namespace

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
  const ImportedLanguage imported = is_sphinx_lm(request.file)
                                        ? import_sphinx_lm(request.file, request.model, request.unknown_word)
                                        : import_arpa(request.file, request.model, request.unknown_word);
  return {.model = request.model,
          .file = LanguageModelFile::make(imported.parts),
          .tokens = imported.words,
          .unknown = imported.unknown};
}

std::shared_ptr<const LanguageModelFile> default_language_model(const Model& model) {
  const std::filesystem::path path = english_path(model);
  std::error_code ignored;
  if (path.empty() || !is_ours_alone(path.parent_path()) || !std::filesystem::exists(path, ignored)) {
    throw Error(
        ErrorCode::input_output,
        fmt::format("no `prior` was given, and the default English language model is not there for this "
                    "model: run `sotto lm fetch` with the same `model` to get it ({}), or make one of "
                    "public text like yours with `sotto lm train public.txt -o public.lm` and give "
                    "`prior` public.lm",
                    kEnglishSource));
  }
  auto file = LanguageModelFile::open(path);
  require_same_words(file->model(), model.identity());
  return file;
}

LanguageAnswer fetch_language_model(const LanguageFetchRequest& request, const Work& work) {
  LanguageAnswer answer{.model = request.model, .path = english_path(*request.model)};
  if (answer.path.empty()) {
    throw Error(ErrorCode::input_output,
                "there is no cache folder to keep the language model in: set XDG_CACHE_HOME or HOME");
  }
  work.at("fetching");
  make_private_folder(answer.path.parent_path());
  try {
    answer.file = default_language_model(*request.model);
    answer.was_there = true;
    return answer;
  } catch (const Error&) {  // none, or one that is damaged: made again
  }
  const ImportedLanguage imported = fetch_english(english_package(),
                                                  {.folder = answer.path.parent_path(),
                                                   .on_step = request.on_step,
                                                   .search_path = request.search_path,
                                                   .environment = request.environment},
                                                  request.model, "");
  answer.file = LanguageModelFile::make(imported.parts);
  answer.tokens = imported.words;
  answer.unknown = imported.unknown;
  answer.file->save(answer.path, Overwrite::replace);
  return answer;
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
  if (!answer.path.empty()) out["file"] = answer.path.string();
  return out;
}

}  // namespace sotto::api
