#pragma once
// clang-format off
// at::Generator. ivalue.h comes first because clang 14 otherwise meets std::vector<IValue> before IValue is
// complete, and refuses libtorch's own headers.
#include <ATen/core/ivalue.h>
#include <ATen/core/Generator.h>
// clang-format on
