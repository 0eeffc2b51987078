#pragma once

namespace sotto {

// W0, the principal branch of Lambert's function: the w >= -1 with w e^w = x, to a few units in the last
// place. x >= -1/e (the double nearest to it counts as equal) and finite; throws Error(internal) otherwise.
double lambert_w0(double x);

}  // namespace sotto
