#include "text/word_texts.h"

#include <algorithm>

namespace sotto {

WordTexts::WordTexts(const Model& model) : model_(&model), slots_(model.size()) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::string_view text = model.word(word_id(i));
    Slot& slot = slots_[i];
    if (text.size() > slot.text.size()) continue;
    std::ranges::copy(text, slot.text.begin());
    slot.size = static_cast<std::uint8_t>(text.size());
  }
}

}  // namespace sotto
