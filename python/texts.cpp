#include "texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/error.h"

namespace sotto::python {

namespace {

std::string parameter_text(const std::string& name, nb::handle value) {
  PyObject* object = value.ptr();
  if (PyUnicode_Check(object)) return std::string(view_of(value, "parameter " + name));
  if (PyBool_Check(object)) return object == Py_True ? "true" : "false";
  if (PyFloat_Check(object)) return number_text(PyFloat_AS_DOUBLE(object));
  if (PyIndex_Check(object)) {
    const nb::object whole = nb::steal(PyNumber_Index(object));
    if (!whole.is_valid()) throw nb::python_error();
    return nb::str(whole).c_str();
  }
  if (PySequence_Check(object) && !nb::hasattr(value, "__float__")) {
    std::string joined;
    for (nb::handle item : nb::iter(value)) {
      joined += (joined.empty() ? "" : ",") + parameter_text(name, item);
    }
    return joined;
  }
  const double number = PyFloat_AsDouble(object);  // numpy's float32, Decimal, ...
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::type_error(
        fmt::format("parameter {}: a number, text, truth value or a list of numbers is expected, not {}",
                    name, Py_TYPE(object)->tp_name)
            .c_str());
  }
  return number_text(number);
}

// Also NaN, which is how pandas writes a missing text.
bool is_null(PyObject* item) {
  return item == Py_None || (PyFloat_Check(item) && std::isnan(PyFloat_AS_DOUBLE(item)));
}

}  // namespace

std::string_view view_of(nb::handle text, std::string_view what) {
  if (!PyUnicode_Check(text.ptr())) {
    throw nb::type_error(fmt::format("{} is a str, not {}", what, Py_TYPE(text.ptr())->tp_name).c_str());
  }
  Py_ssize_t length = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
  if (data == nullptr) {
    PyErr_Clear();
    throw Error(ErrorCode::bad_data,
                fmt::format("{} holds a lone surrogate, which is no text; it may have been "
                            "read with errors='surrogateescape'",
                            what));
  }
  return {data, static_cast<std::size_t>(length)};
}

nb::str str_of(std::string_view text) {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

ParameterTexts parameter_texts(nb::handle given) {
  ParameterTexts texts;
  for (auto [key, value] : nb::borrow<nb::dict>(given)) {
    if (value.is_none()) continue;
    std::string name = nb::str(key).c_str();
    if (name.ends_with('_')) name.pop_back();  // lambda_, as lambda is a word of Python
    std::replace(name.begin(), name.end(), '_', '-');
    texts[name] = parameter_text(name, value);
  }
  return texts;
}

nb::dict dict_of(const ParameterTexts& texts) {
  nb::dict out;
  for (const auto& [name, text] : texts) out[str_of(name)] = str_of(text);
  return out;
}

Texts::Texts(nb::handle given) : kept_(nb::steal(PySequence_Tuple(given.ptr()))) {
  if (!kept_.is_valid()) throw nb::python_error();
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(kept_.ptr()));
  views_.reserve(count);
  places_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(kept_.ptr(), static_cast<Py_ssize_t>(i));
    if (PyUnicode_Check(item)) {
      views_.push_back(PyUnicode_IS_COMPACT_ASCII(item)
                           ? std::string_view(static_cast<const char*>(PyUnicode_DATA(item)),
                                              static_cast<std::size_t>(PyUnicode_GET_LENGTH(item)))
                           : view_of(item, fmt::format("text {} (counted from 0)", i)));
      bytes_ += views_.back().size();
      places_.push_back(i);
    } else if (!is_null(item)) {
      throw nb::type_error(fmt::format("text {} (counted from 0) is of type {}; str and None are allowed{}",
                                       i, Py_TYPE(item)->tp_name,
                                       PyBytes_Check(item) ? ": decode the bytes, text.decode()" : "")
                               .c_str());
    }
  }
}

nb::list Texts::list_of(const std::vector<std::string>& released) const {
  const Py_ssize_t count = PyTuple_GET_SIZE(kept_.ptr());
  nb::list out = nb::steal<nb::list>(PyList_New(count));
  if (!out.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < released.size(); ++i) {
    PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(places_[i]), str_of(released[i]).release().ptr());
  }
  for (Py_ssize_t place = 0; place < count && views_.size() < static_cast<std::size_t>(count); ++place) {
    if (PyList_GET_ITEM(out.ptr(), place) == nullptr) {
      PyList_SET_ITEM(out.ptr(), place, nb::none().release().ptr());
    }
  }
  return out;
}

}  // namespace sotto::python
