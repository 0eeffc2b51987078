#pragma once
// Everything that a program needs of Sotto, by what it is for. Each header can be included alone.
#include "sotto/byte_stream.h"  // open_source, open_sink: files, pipes, compression
#include "sotto/certify.h"      // api::certify: the privacy loss on your vocabulary
#include "sotto/error.h"        // Error: what everything throws
#include "sotto/explain.h"      // api::explain: what one word may become
#include "sotto/forecast.h"     // forecast: how many words are expected to stay
#include "sotto/measure.h"      // api::measure: what an attacker learns, what use is left
#include "sotto/mechanism.h"    // the registry of mechanisms
#include "sotto/model.h"        // Model::open: words and vectors
#include "sotto/privatizer.h"   // Privatizer: text in, private text out
#include "sotto/release.h"      // api::release_texts, api::release_stream, and the report of a release
#include "sotto/setting.h"      // chosen_setting, epsilon_to_begin_with: an epsilon that suits
