#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "model/file_bytes.h"
#include "neighbours/neighbourhoods.h"

namespace sotto {

// The neighbourhoods of a model's first words (public order, never an order taken from anyone's text), kept
// in the folder of data derived from the model. Wrong or damaged contents count as absent. Somebody who can
// write to that folder could still store other distances with right checksums: the folder must be ours alone.
class PreparedNeighbourhoods {
 public:
  // Null if there are none for this space, if they are damaged or of another version, or if the folder is
  // not ours alone (mode 0700).
  static std::unique_ptr<const PreparedNeighbourhoods> open(const Space& space);

  [[nodiscard]] const Clusters& clusters() const noexcept { return clusters_; }
  // The first words() words of the model are prepared.
  [[nodiscard]] std::size_t words() const noexcept { return words_; }
  // Null if the word is not prepared, or if its record has a wrong checksum or a value out of range.
  [[nodiscard]] const std::uint64_t* record(WordId word) const;

 private:
  PreparedNeighbourhoods(FileBytes bytes, Clusters clusters, NeighbourhoodLayout layout)
      : bytes_(std::move(bytes)), clusters_(std::move(clusters)), layout_(layout) {}

  FileBytes bytes_;
  Clusters clusters_;
  NeighbourhoodLayout layout_;
  std::size_t words_ = 0;
  const std::uint64_t* records_ = nullptr;  // each followed by its checksum
};

// Builds and writes them, whole or not at all; returns the file. The model must have a derived folder.
// progress(done, total) is called from this thread.
using PrepareProgress = std::function<void(std::size_t, std::size_t)>;
std::filesystem::path prepare_neighbourhoods(const std::shared_ptr<const Space>& space, std::size_t words,
                                             unsigned threads, const PrepareProgress& progress);

}  // namespace sotto
