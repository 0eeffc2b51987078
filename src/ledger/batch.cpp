#include "ledger/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ledger/chain.h"

namespace sotto::ledger {

namespace {

// Clocks of several servers differ a little; entries then get the later time.
constexpr std::int64_t kClockTolerance = 300;

// Retries are protected by both keys: without the ledger's key a short Idempotency-Key cannot be guessed from
// the file, and without the Idempotency-Key the ledger's key opens no answer.
SecretKey secret_of(const SecretKey& key, const RetryKey& retry, std::string_view purpose) {
  return SecretKey(MacMessage(purpose).add(retry.sender).add(retry.key).under(key));
}

SecretKey answer_key(const SecretKey& key, const RetryKey& retry) {
  return secret_of(key, retry, "sotto ledger answer key");
}

std::string answer_context(const StoredAnswer& answer) {
  return hex_of(answer.key) + hex_of(answer.body) + std::to_string(answer.expires);
}

std::string_view plural_of_limit(AccountRole role) {
  return role == AccountRole::document ? "document-budget" : "subject-budget";
}

// What a batch knows of the ledger: its end, and the totals of the accounts it touches.
struct Books {
  std::int64_t number = 0;
  Mac mac = {};
  std::int64_t time = 0;
  std::map<AccountKey, Amount> totals = {};
  std::map<Mac, StoredAnswer> new_answers = {};
  std::vector<StoredEntry> entries = {};
};

Books open_books(LedgerStore& store, const BatchSetting& setting, std::span<PreparedDebit* const> debits) {
  Books books{.mac = first_link(*setting.key, setting.ledger_id), .time = setting.now};
  if (const std::optional<StoredEntry> last = store.last()) {
    check_entry(*setting.key, *last);
    if (setting.now < last->time - kClockTolerance) {
      throw Error(ErrorCode::input_output,
                  fmt::format("the clock is {} s behind the last entry of the ledger: set the clock right; "
                              "nothing is released meanwhile",
                              last->time - setting.now));
    }
    books.number = last->number;
    books.mac = last->mac;
    books.time = std::max(setting.now, last->time);
  }
  std::map<AccountKey, bool> wanted;
  for (const PreparedDebit* debit : debits) {
    for (const AccountKey& key : debit->accounts) wanted[key] = true;
  }
  std::vector<AccountKey> keys;
  for (const auto& [key, yes] : wanted) keys.push_back(key);
  const std::vector<std::optional<StoredEntry>> latest = store.latest(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!latest[i]) continue;
    check_entry(*setting.key, *latest[i]);
    books.totals[keys[i]] = Amount::of_micros(latest[i]->total);
  }
  return books;
}

std::optional<StoredAnswer> find_answer(LedgerStore& store, const Books& books, const PreparedDebit& debit) {
  const auto found = books.new_answers.find(debit.retry_key);
  if (found != books.new_answers.end()) return found->second;
  return store.answer(debit.retry_key);
}

// All charges or none: the books change only at the end.
void enter(Books& books, const BatchSetting& setting, PreparedDebit& prepared) {
  const Debit& debit = *prepared.debit;
  std::map<AccountKey, Amount> totals;
  std::vector<StoredEntry> entries;
  Mac mac = books.mac;
  for (std::size_t i = 0; i < debit.charges.size(); ++i) {
    const Charge& charge = debit.charges[i];
    const AccountKey& key = prepared.accounts[i];
    std::optional<Amount> spent;
    if (const auto own = totals.find(key); own != totals.end()) {
      spent = own->second;
    } else if (const auto known = books.totals.find(key); known != books.totals.end()) {
      spent = known->second;
    }
    const Amount total = charged(charge, spent);
    totals[key] = total;
    StoredEntry entry{.number = books.number + static_cast<std::int64_t>(entries.size()) + 1,
                      .time = books.time,
                      .role = static_cast<int>(charge.account.role),
                      .owner = key.owner,
                      .account = key.account,
                      .model = charge.account.scope.model,
                      .metric = charge.account.scope.metric,
                      .kind = charge.account.scope.kind,
                      .amount = charge.amount.micros(),
                      .total = total.micros(),
                      .nonce = random_array<16>(),
                      .before = mac};
    entry.mac = entry_mac(*setting.key, entry);
    mac = entry.mac;
    entries.push_back(std::move(entry));
    prepared.receipt.balances.push_back({.role = charge.account.role, .spent = total, .limit = charge.limit});
  }
  books.mac = mac;
  books.number += static_cast<std::int64_t>(entries.size());
  for (const auto& [key, total] : totals) books.totals[key] = total;
  for (StoredEntry& entry : entries) books.entries.push_back(std::move(entry));
  if (debit.retry && setting.keep_answers > 0) {
    StoredAnswer answer{
        .key = prepared.retry_key, .body = prepared.retry_body, .expires = books.time + setting.keep_answers};
    answer.sealed = seal(answer_key(*setting.key, *debit.retry), answer_context(answer), debit.answer);
    books.new_answers[answer.key] = std::move(answer);
  }
}

}  // namespace

AccountKey account_key(const SecretKey& key, const Account& account) {
  const Mac owner = owner_mac(key, account.role, account.id);
  return {.owner = owner, .account = account_mac(key, owner, account.scope)};
}

PreparedDebit prepare(const SecretKey& key, const Debit& debit) {
  PreparedDebit out{.debit = &debit};
  for (const Charge& charge : debit.charges) out.accounts.push_back(account_key(key, charge.account));
  if (debit.retry) {
    out.retry_key =
        MacMessage("sotto ledger retry").add(debit.retry->sender).add(debit.retry->key).under(key);
    out.retry_body = MacMessage("sotto ledger body")
                         .add(debit.retry->body)
                         .under(secret_of(key, *debit.retry, "sotto ledger body key"));
  }
  return out;
}

Amount charged(const Charge& charge, const std::optional<Amount>& spent) {
  const std::string_view role = account_role_name(charge.account.role);
  if (charge.once && spent) {
    throw LimitReached(fmt::format(
        "this {0} has been released before (spent {1}), and there is no `document-budget`: releasing "
        "it again would add to the loss of every word. Reuse the earlier output, or set a budget of at "
        "least {2}",
        role, spent->text(), spent->plus(charge.amount).text()));
  }
  const Amount total = spent.value_or(Amount()).plus(charge.amount);
  if (charge.limit && total > *charge.limit) {
    throw LimitReached(fmt::format(
        "the `{}` of this {} does not allow the release: spent {}, limit {}, remaining {}, needed {}",
        plural_of_limit(charge.account.role), role, spent.value_or(Amount()).text(), charge.limit->text(),
        charge.limit->minus_down_to_zero(spent.value_or(Amount())).text(), charge.amount.text()));
  }
  return total;
}

std::string open_answer(const SecretKey& key, const RetryKey& retry, const Mac& body,
                        const StoredAnswer& stored) {
  if (!equal_in_constant_time(stored.body, body)) {
    throw Error(ErrorCode::usage,
                "this Idempotency-Key was used with another body; a new request needs a new key");
  }
  std::optional<std::string> plain = unseal(answer_key(key, retry), answer_context(stored), stored.sealed);
  if (!plain) throw Error(ErrorCode::bad_data, "a stored answer of the ledger was changed or damaged");
  return *std::move(plain);
}

std::optional<StoredEntry> debit_batch(LedgerStore& store, const BatchSetting& setting,
                                       std::span<PreparedDebit* const> debits) {
  Books books = open_books(store, setting, debits);
  const bool has_retry =
      std::ranges::any_of(debits, [](const PreparedDebit* one) { return one->debit->retry.has_value(); });
  if (setting.deletes_expired || has_retry) store.delete_answers(books.time);
  for (PreparedDebit* prepared : debits) {
    // A batch may be done again after a lost connection.
    prepared->receipt = {};
    prepared->fault = nullptr;
    try {
      if (prepared->debit->retry) {
        if (const std::optional<StoredAnswer> stored = find_answer(store, books, *prepared)) {
          prepared->receipt.answer =
              open_answer(*setting.key, *prepared->debit->retry, prepared->retry_body, *stored);
          prepared->receipt.is_replayed = true;
          continue;
        }
      }
      enter(books, setting, *prepared);
    } catch (const ConnectionLost&) {
      throw;
    } catch (const Error&) {
      prepared->receipt = {};
      prepared->fault = std::current_exception();
    }
  }
  if (books.entries.empty()) return std::nullopt;
  store.append(books.entries);
  for (const auto& [key, answer] : books.new_answers) store.put_answer(answer);
  return books.entries.back();
}

}  // namespace sotto::ledger
