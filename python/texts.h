#pragma once
#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/parameters.h"

namespace sotto::python {

namespace nb = nanobind;

// The UTF-8 of a str, without a copy for ASCII; lives as long as the str. The fault of a lone surrogate names
// the place, not the text, which Python's own exception would quote.
std::string_view view_of(nb::handle text, std::string_view what);
nb::str str_of(std::string_view text);

// Parameters as they would be typed; the engine alone judges them. `exclude_input=True` is the registry's
// exclude-input, and floats are in the shortest form that reads back. None: not given.
ParameterTexts parameter_texts(nb::handle given);
nb::dict dict_of(const ParameterTexts& texts);

// The texts of one call as views. Holds references of its own, so that the caller's list may change
// meanwhile.
class Texts {
 public:
  explicit Texts(nb::handle given);

  // Of the caller's sequence, missing ones included.
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(PyTuple_GET_SIZE(kept_.ptr())); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::span<const std::string_view> views() const { return views_; }
  // Where in the caller's sequence each text is.
  [[nodiscard]] std::span<const std::size_t> places() const { return places_; }

  // A list as long as the input, nulls where they were.
  [[nodiscard]] nb::list list_of(const std::vector<std::string>& released) const;

 private:
  nb::object kept_;
  std::vector<std::string_view> views_;
  std::vector<std::size_t> places_;
  std::size_t bytes_ = 0;
};

}  // namespace sotto::python
