#pragma once
#include <memory>
#include <string>

#include "sotto/byte_stream.h"

namespace sotto {

// A source whose first bytes can be looked at before they are read.
class PeekedSource final : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

  // The first `size` bytes, fewer only if the source ends before. Asks the source for no more than that: a
  // terminal or a pipe may not have more yet. Not after read().
  const std::string& head(std::size_t size) {
    while (head_.size() < size) {
      std::string bytes(size - head_.size(), '\0');
      const std::size_t count = inner_->read(bytes.data(), bytes.size());
      if (count == 0) break;
      head_.append(bytes, 0, count);
    }
    return head_;
  }

  std::size_t read(char* buffer, std::size_t capacity) override {
    if (taken_ == head_.size()) return inner_->read(buffer, capacity);
    const std::size_t count = head_.copy(buffer, capacity, taken_);
    taken_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return inner_->total(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::string head_;
  std::size_t taken_ = 0;
};

}  // namespace sotto
