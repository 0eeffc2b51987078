#pragma once
#include <cstddef>
#include <string>

#include "core/npy_dictionary.h"
#include "sotto/byte_stream.h"

namespace sotto {

// Fills the buffer as far as the source reaches; fewer bytes only at its end.
std::size_t read_fully(ByteSource& source, char* buffer, std::size_t size);

// Reads magic, version and dictionary of an .npy file (NEP 1 of NumPy); the values follow in the source.
// Throws Error(bad_data) that names `label` if the start is damaged.
NpyDictionary read_npy_start(ByteSource& source, const std::string& label);

}  // namespace sotto
