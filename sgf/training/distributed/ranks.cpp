#include "sgf/training/distributed/ranks.h"

#include "sgf/core/build_version.h"
#include "sgf/training/distributed/collective_head.h"
#include "sgf/training/distributed/rank_groups.h"
#include "sgf/training/distributed/rank_watch.h"
#include "sgf/training/distributed/tensor_buckets.h"

#include <ATen/ATen.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

namespace sgf {
namespace {

Collective collective_of(Move move, const std::vector<at::Tensor>& tensors) {
  Collective one{.move = move, .tensors = static_cast<int64_t>(tensors.size())};
  for (const at::Tensor& tensor : tensors) one.numbers += tensor.numel();
  return one;
}

// Terms that are always compared.
RunTerms build_terms() {
  return {{"version", build_version()}, {"commit", build_commit()}, {"torch version", TORCH_VERSION}};
}

}  // namespace

// Store, watch and groups of one rank.
struct Ranks::Links {
  RankPlace place;
  RankSettings settings;
  RankMeeting meeting;
  std::optional<RankWatch> watch;
  RankGroup gloo, nccl;
  int64_t agreements = 0;
  bool is_broken = false;  // a collective has failed, others may still be running

  Links(const RankPlace& where, RankSettings how) : place(where), settings(std::move(how)) {
    settings.validate();
    require_gloo(place);  // before waiting for other ranks
    meeting = meet(place, settings);
    place.address = meeting.address;
    watch.emplace(place, meeting, settings);
    try {
      agree(build_terms());
      gloo = make_gloo_group(place, meeting.store, group_timeout());
    } catch (const std::exception& error) {
      watch->end(fmt::format("{} stopped: {}", own_name(), error.what()));
      throw;
    }
  }

  ~Links() {
    if (std::uncaught_exceptions() > 0) watch->end(fmt::format("{} stopped on an error", own_name()));
    watch.reset();
    // The destructor of a group joins its threads, and one may wait long for a dead rank: the group is leaked on
    // purpose.
    if (!is_broken) return;
    gloo.release();
    nccl.release();
  }

  const std::string& own_name() const { return meeting.names[static_cast<size_t>(place.rank)]; }

  // The libraries' own time limit is the last resort; ours comes first, since it names ranks.
  std::chrono::milliseconds group_timeout() const { return settings.patience + settings.silence; }

  c10d::Backend& group_of(const at::Tensor& tensor) {
    if (!tensor.is_cuda()) return *gloo;
    if (!nccl) nccl = make_nccl_group(place, meeting.store, group_timeout());
    return *nccl;
  }

  [[noreturn]] void lose(const std::string& message) {
    is_broken = true;
    throw RankLost(message);
  }

  void check_alive() {
    const std::string ending = watch->ending();
    if (!ending.empty()) lose(ending);
  }

  // Uses the store, since collectives of different builds may be incompatible. Rank 0 publishes its terms, the others
  // compare, and all read all results.
  void agree(const RunTerms& terms) {
    watch->begin_collective();
    std::vector<std::string> verdicts;
    try {
      verdicts = exchange_verdicts(terms, fmt::format("agreement/{}", ++agreements));
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      explain("comparison of settings", error.what());
    }
    for (const std::string& verdict : verdicts) SGF_CHECK(verdict.empty(), "{}", verdict);
  }

  // By rank: how its terms differ from those of rank 0; empty if equal.
  std::vector<std::string> exchange_verdicts(const RunTerms& terms, const std::string& place_in_store) {
    c10d::Store& store = *meeting.store;
    if (place.rank == 0) store.set(place_in_store, write_terms(terms));
    await_keys({place_in_store});
    const auto difference = first_difference(read_terms(store.get_to_str(place_in_store)), terms);
    std::vector<std::string> keys;
    for (int64_t rank = 0; rank < place.size; ++rank) keys.push_back(fmt::format("{}/{}", place_in_store, rank));
    store.set(keys[static_cast<size_t>(place.rank)],
              difference ? describe_difference(*difference, meeting.names[0], own_name()) : "");
    await_keys(keys);
    std::vector<std::string> verdicts;
    for (const std::vector<uint8_t>& verdict : store.multiGet(keys))
      verdicts.emplace_back(verdict.begin(), verdict.end());
    return verdicts;
  }

  void await_keys(const std::vector<std::string>& keys) {
    wait_until([&] { return meeting.store->check(keys); }, std::chrono::milliseconds(50), "comparison of settings");
  }

  // Runs one collective to its end. `start` returns the started work.
  template <class Start>
  void run(const char* what, Start start) {
    check_alive();
    watch->begin_collective();
    try {
      const c10::intrusive_ptr<c10d::Work> work = start();
      wait_until([&] { return work->isCompleted(); }, std::chrono::milliseconds(1), what);
      work->wait();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      explain(what, error.what());
    }
  }

  // Polls instead of waiting, so that a lost rank ends the wait regardless of the library.
  template <class IsDone>
  void wait_until(IsDone is_done, std::chrono::microseconds longest_nap, const char* what) {
    const auto until = std::chrono::steady_clock::now() + settings.patience;
    std::chrono::microseconds nap{20};
    while (!is_done()) {
      std::this_thread::sleep_for(nap);
      nap = std::min(2 * nap, longest_nap);
      check_alive();
      if (std::chrono::steady_clock::now() > until) give_up(what);
    }
  }

  // The values of every rank, by rank. All must have the same number: Gloo aborts a process that gets more than
  // expected.
  std::vector<std::vector<double>> all_gather(const std::vector<double>& values) {
    at::Tensor mine = at::tensor(values, at::kDouble);
    at::Tensor all = at::empty({place.size, mine.numel()}, at::kDouble);
    at::Tensor flat = all.view(-1);
    run("exchange of metrics", [&] { return gloo->_allgather_base(flat, mine); });
    std::vector<std::vector<double>> rows;
    for (int64_t rank = 0; rank < place.size; ++rank) {
      const double* row = all.const_data_ptr<double>() + rank * mine.numel();
      rows.emplace_back(row, row + mine.numel());
    }
    return rows;
  }

  // Exchanges the heads of all ranks and checks that all are in the same collective; heads have a fixed size.
  std::vector<CollectiveHead> begin(const Collective& one, const std::vector<double>& carried = {}) {
    std::vector<CollectiveHead> heads = all_gather(write_head(one, carried));
    const Collective first = read_head(heads[0]);
    for (size_t rank = 1; rank < heads.size(); ++rank)
      SGF_CHECK(read_head(heads[rank]) == first, "{} {} while {} {}: all ranks must run the same steps",
                meeting.names[rank], read_head(heads[rank]).words(), meeting.names[0], first.words());
    return heads;
  }

  // A connection broke. Missing heartbeats will show which rank it was.
  [[noreturn]] void explain(const char* what, const std::string& error) {
    const std::string ending = watch->awaited_ending();
    if (!ending.empty()) lose(ending);
    const std::string message =
        fmt::format("{} failed in the {} although all ranks are alive: {}", own_name(), what, error);
    watch->end(message);
    lose(message);
  }

  [[noreturn]] void give_up(const char* what) {
    const std::string message = fmt::format("{} waited {} s in the {} for {}, which is alive but did not join",
                                            own_name(), settings.patience.count() / 1000, what, watch->missing_ranks());
    watch->end(message);
    lose(message);
  }
};

Ranks::Ranks() = default;

Ranks::Ranks(const RankPlace& place, RankSettings settings) : place_(place) {
  if (place.rank >= place.size) refuse_rank(place, settings);
  if (place.size > 1 || settings.group_of_one) links_ = std::make_unique<Links>(place, std::move(settings));
}

Ranks::~Ranks() = default;
Ranks::Ranks(Ranks&&) noexcept = default;

const Ranks& Ranks::alone() {
  static const Ranks one;
  return one;
}

void Ranks::agree(const std::function<RunTerms()>& terms) const {
  if (links_) links_->agree(terms());
}

void Ranks::sum(std::vector<at::Tensor>& tensors) const {
  if (!links_) return;
  links_->begin(collective_of(Move::kSum, tensors));
  for_each_bucket(tensors, links_->settings.bucket_bytes, [&](at::Tensor& flat) {
    std::vector<at::Tensor> one{flat};
    links_->run("sum of gradients", [&] { return links_->group_of(flat).allreduce(one); });
  });
}

void Ranks::broadcast(std::vector<at::Tensor>& tensors) const {
  if (!links_) return;
  links_->begin(collective_of(Move::kBroadcast, tensors));
  for_each_bucket(tensors, links_->settings.bucket_bytes, [&](at::Tensor& flat) {
    std::vector<at::Tensor> one{flat};
    links_->run("broadcast", [&] { return links_->group_of(flat).broadcast(one); });
  });
}

std::vector<std::vector<double>> Ranks::gather(const std::vector<double>& values) const {
  if (!links_) return {values};
  const auto heads = links_->begin({.numbers = static_cast<int64_t>(values.size())}, values);
  if (!is_carried(values)) return links_->all_gather(values);
  std::vector<std::vector<double>> rows;
  for (const CollectiveHead& head : heads) rows.push_back(carried_by(head));
  return rows;
}

std::vector<double> Ranks::sum(const std::vector<double>& values) const {
  std::vector<double> sums(values.size(), 0.0);
  for (const std::vector<double>& row : gather(values))
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
  return sums;
}

double Ranks::sum(double value) const { return sum(std::vector<double>{value})[0]; }

double Ranks::max(double value) const {
  const std::vector<std::vector<double>> rows = gather({value});
  double largest = rows[0][0];
  // Not std::max: a NaN of any rank must reach all ranks.
  for (const std::vector<double>& row : rows)
    if (row[0] > largest || std::isnan(row[0])) largest = row[0];
  return largest;
}

bool Ranks::any(bool value) const { return sum(value ? 1.0 : 0.0) > 0; }

void Ranks::barrier() const { gather({0.0}); }

void Ranks::check_alive() const {
  if (links_) links_->check_alive();
}

void Ranks::stop(const std::string& reason) const {
  if (links_) links_->watch->end(fmt::format("{} stopped: {}", links_->own_name(), reason));
}

void Ranks::guard(const std::function<void()>& work) const {
  try {
    work();
  } catch (const RankLost&) {
    throw;
  } catch (const std::exception& error) {
    stop(error.what());
    throw;
  }
}

}  // namespace sgf
