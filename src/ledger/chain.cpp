#include "ledger/chain.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace sotto {

std::string LedgerHead::text() const {
  return fmt::format("{}:{}", count, mac);
}

LedgerHead LedgerHead::parse(std::string_view text) {
  LedgerHead out;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + colon, out.count);
  const bool is_whole = error == std::errc() && end == text.data() + colon && out.count >= 0;
  if (colon < text.size()) out.mac = text.substr(colon + 1);
  if (!is_whole || !ledger::mac_of_hex(out.mac)) {
    throw Error(ErrorCode::usage,
                "`head` must be COUNT:HEX as `sotto ledger head` prints it: a number, a colon and 64 digits");
  }
  return out;
}

}  // namespace sotto

namespace sotto::ledger {

Mac owner_mac(const SecretKey& key, AccountRole role, std::string_view id) {
  return MacMessage("sotto ledger owner").add(account_role_name(role)).add(id).under(key);
}

Mac account_mac(const SecretKey& key, const Mac& owner, const AccountScope& scope) {
  return MacMessage("sotto ledger account")
      .add(owner)
      .add(scope.model)
      .add(scope.metric)
      .add(scope.kind)
      .under(key);
}

Mac key_check(const SecretKey& key, std::string_view ledger_id) {
  return MacMessage("sotto ledger key check").add(ledger_id).under(key);
}

Mac first_link(const SecretKey& key, std::string_view ledger_id) {
  return MacMessage("sotto ledger first link").add(ledger_id).under(key);
}

Mac entry_mac(const SecretKey& key, const StoredEntry& entry) {
  return MacMessage("sotto ledger entry")
      .add(entry.before)
      .add(entry.number)
      .add(entry.time)
      .add(std::int64_t{entry.role})
      .add(entry.owner)
      .add(entry.account)
      .add(entry.model)
      .add(entry.metric)
      .add(entry.kind)
      .add(entry.amount)
      .add(entry.total)
      .add(entry.nonce)
      .under(key);
}

void check_entry(const SecretKey& key, const StoredEntry& entry) {
  if (equal_in_constant_time(entry.mac, entry_mac(key, entry))) return;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("entry {} of the ledger was changed or damaged: nothing is released; run `sotto ledger "
                  "verify` and restore the ledger from a copy",
                  entry.number));
}

LedgerEntry shown_entry(const StoredEntry& entry) {
  return {.number = entry.number,
          .time = entry.time,
          .role = static_cast<AccountRole>(entry.role),
          .owner = hex_of(entry.owner),
          .scope = {.model = entry.model, .metric = entry.metric, .kind = entry.kind},
          .amount = Amount::of_micros(entry.amount),
          .total = Amount::of_micros(entry.total),
          .mac = hex_of(entry.mac)};
}

ChainCheck::ChainCheck(const SecretKey& key, std::string_view ledger_id, std::optional<LedgerHead> kept)
    : key_(key), before_(first_link(key, ledger_id)), kept_(std::move(kept)) {
  check_.head = {.count = 0, .mac = hex_of(before_)};
  if (kept_ && kept_->count == 0 && kept_->mac != check_.head.mac) {
    problem(0, "the head given is that of another ledger");
  }
}

void ChainCheck::problem(std::int64_t entry, std::string what) {
  if (check_.problems.size() < LedgerCheck::kMostProblems) {
    check_.problems.push_back({.entry = entry, .what = std::move(what)});
  }
}

void ChainCheck::add(const StoredEntry& entry) {
  const bool is_genuine = equal_in_constant_time(entry.mac, entry_mac(key_, entry));
  if (entry.number != last_number_ + 1) {
    problem(entry.number,
            entry.number == last_number_ + 2
                ? fmt::format("entry {} before it was removed", last_number_ + 1)
                : fmt::format("entries {} to {} before it were removed", last_number_ + 1, entry.number - 1));
  } else if (!is_genuine) {
    problem(entry.number, "it was changed, moved or inserted: its HMAC is not that of its fields");
  } else if (!equal_in_constant_time(entry.before, before_)) {
    problem(entry.number, "the entry before it was changed, or is another one: the chain is broken");
  } else {
    // Fields under a valid HMAC can only be wrong through a fault of this program.
    if (entry.total != totals_[entry.account] + entry.amount) {
      problem(entry.number, "its total is not the sum of its account");
    }
    if (entry.time < last_time_) problem(entry.number, "its time is before that of the entry before it");
  }
  totals_[entry.account] = entry.total;
  last_time_ = entry.time;
  last_number_ = entry.number;
  before_ = entry.mac;
  ++check_.entries;
  if (kept_ && kept_->count == entry.number && kept_->mac != hex_of(entry.mac)) {
    problem(entry.number, "it is not the entry that was the head: the ledger was rewritten");
  }
}

LedgerCheck ChainCheck::result() {
  if (check_.entries > 0) check_.head = {.count = last_number_, .mac = hex_of(before_)};
  if (kept_ && kept_->count > last_number_) {
    problem(0, fmt::format("the tail was cut: there are {} entries, and the head given counted {}",
                           last_number_, kept_->count));
  }
  return check_;
}

}  // namespace sotto::ledger
