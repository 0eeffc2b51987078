#pragma once

namespace sotto::server {

// A word of requests that no answer and no message may repeat.
inline constexpr char kCanary[] = "zebrafish";

}  // namespace sotto::server
