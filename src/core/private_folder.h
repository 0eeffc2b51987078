#pragma once
#include <filesystem>

namespace sotto {

// A folder of ours (mode 0700): others could plant a file in one that they may write to.
bool is_ours_alone(const std::filesystem::path& folder);
// Makes it if it is not there. Throws Error(input_output) if it cannot be made or is not ours alone.
void make_private_folder(const std::filesystem::path& folder);

}  // namespace sotto
