#pragma once
#include <filesystem>

#include "ledger/crypto.h"

namespace sotto::ledger {

// The ledger's key in a file of its own, one line of text. Whoever has it can test guesses of identifiers and
// write entries that pass verification; without it the ledger cannot be used at all.

// Throws Error(usage) if it is not there, Error(input_output) if others may read it or it cannot be read,
// Error(bad_data) if it holds anything else.
SecretKey read_key_file(const std::filesystem::path& path);
// A new random key, mode 0600. The file appears whole and is never replaced: if there is one already, that
// one is read. Durable when it returns.
SecretKey create_key_file(const std::filesystem::path& path);

// Makes a new name in the folder of `path` durable, as far as the file system allows.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace sotto::ledger
