#pragma once
// Before ATen.h, which uses the type IValue where clang must know all of it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cstdint>

namespace sotto::lab::gumbel {

// Independent standard Gaussians.
inline at::Tensor random_tensor(at::IntArrayRef sizes, std::uint64_t seed) {
  return at::empty(sizes).normal_(0, 1, at::detail::createCPUGenerator(seed));
}

}  // namespace sotto::lab::gumbel
