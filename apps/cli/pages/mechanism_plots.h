#pragma once
#include "html/page.h"
#include "measure/deniability.h"
#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto::cli {

// Parts that the pages of certify, audit and measure share.

// N_w and S_w over the measured words.
void add_deniability(html::Page& page, const Deniability& deniability);
// How far down the neighbours of the input the outputs lie, under the public rank prior.
void add_output_ranks(html::Page& page, const Mechanism& mechanism, const Work& work);

}  // namespace sotto::cli
