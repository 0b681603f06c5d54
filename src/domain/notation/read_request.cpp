// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "domain/notation/read.hpp"
#include "domain/notation/values.hpp"
#include "domain/quantity.hpp"

namespace tenon::notation {
namespace {

using domain::Cards;
using domain::GpuMode;
using domain::NicMode;
using domain::Request;
using domain::Wish;

/// A request while it is read: what depends on other clauses waits for the end of the line.
struct RequestDraft {
  Request request;
  std::string_view gpu_word;  // which of gpu=, gpu.bytes=, mig=
  std::string_view nic_word;  // which of nic=, vf=
  std::string_view bandwidth_word;
  bool pair_counts_itself = false;  // pair<=D: as many GPUs to one NIC as it takes
};

bool is_alone(std::string_view& said, const Attribute& clause, Lexer& in) {
  if (!said.empty()) {
    return in.fail(clause.word,
                   text::cat(clause.key, "= and ", attribute_of(said).key, "= in one request"),
                   "leave one of them, or ask with two pods");
  }
  said = clause.word;
  return true;
}

/// "0.5*2": the term and how often it stands for itself.
bool read_repeat(Lexer& in, std::string_view& term, int& repeat) {
  repeat = 1;
  const auto star = term.find('*');
  if (star == std::string_view::npos) return true;
  const auto digits = term.substr(star + 1);
  term = term.substr(0, star);
  return read_int(in, digits, 1, kUnitsReadMax, repeat);
}

bool add_units(Lexer& in, std::string_view word, domain::GpuDemand& gpu,
               const domain::GpuUnit& unit, std::int64_t count) {
  if (count + static_cast<std::int64_t>(gpu.units.size()) > kUnitsReadMax) {
    return in.too_large(word, text::cat(text::quoted(word), " is more GPUs than any node has"),
                        text::cat("a request may name ", domain::kUnitsMax));
  }
  gpu.units.insert(gpu.units.end(), static_cast<std::size_t>(count), unit);
  return in.charge(word, static_cast<std::size_t>(count) * sizeof unit);
}

/// "2": whole ones. "0.5", "0.5*2", "0.5+0.25": shares.
bool read_gpus(Lexer& in, std::string_view value, domain::GpuDemand& gpu) {
  if (value.find_first_of("*+") == std::string_view::npos) {
    std::int64_t milli = 0;
    if (!read_milli(in, value, milli)) return false;
    if (milli % domain::kMilliOfAWhole == 0) {
      gpu.mode = GpuMode::kWhole;
      return add_units(in, value, gpu, {}, milli / domain::kMilliOfAWhole);
    }
  }
  gpu.mode = GpuMode::kShareMilli;
  for (auto term : text::split(value, '+')) {
    int repeat = 1;
    domain::GpuUnit unit;
    if (!read_repeat(in, term, repeat) || !read_milli(in, term, unit.amount) ||
        !add_units(in, value, gpu, unit, repeat)) {
      return false;
    }
  }
  return true;
}

bool read_gpu_bytes(Lexer& in, std::string_view value, domain::GpuDemand& gpu) {
  // Zero is no request (I31), as with gpu=0.
  if (value.find_first_of("*+") == std::string_view::npos) {
    std::int64_t bytes = 0;
    if (!read_whole(in, value, bytes)) return false;
    if (bytes == 0) return true;
  }
  gpu.mode = GpuMode::kShareBytes;
  for (auto term : text::split(value, '+')) {
    int repeat = 1;
    domain::GpuUnit unit;
    if (!read_repeat(in, term, repeat) || !read_whole(in, term, unit.amount) ||
        !add_units(in, value, gpu, unit, repeat)) {
      return false;
    }
  }
  return true;
}

/// "1g.10gb*2+3g.40gb". A plus before a letter belongs to the profile: "1g.10gb+me".
bool read_mig_units(Lexer& in, std::string_view value, domain::GpuDemand& gpu) {
  gpu.mode = GpuMode::kMig;
  while (true) {
    std::size_t cut = 0;
    do {
      cut = value.find('+', cut + 1);
    } while (cut != std::string_view::npos && cut + 1 < value.size() &&
             (value[cut + 1] < '0' || value[cut + 1] > '9'));
    auto term = value.substr(0, cut);
    int repeat = 1;
    domain::GpuUnit unit;
    if (!read_repeat(in, term, repeat) || !read_profile(in, term, unit.profile) ||
        !add_units(in, value, gpu, unit, repeat)) {
      return false;
    }
    if (cut == std::string_view::npos) return true;
    value.remove_prefix(cut + 1);
  }
}

bool read_cards(Lexer& in, std::string_view word, Cards& out) {
  return read_choice<Cards>(in, word, {{"one", Cards::kOne}, {"apart", Cards::kApart}}, out);
}

bool read_allowed(Lexer& in, std::string_view list, domain::NicDemand& nic) {
  enum class Kind : std::uint8_t { kBond, kNonRdma };
  for (const auto word : text::split(list, ',')) {
    Kind kind{};
    if (!read_choice<Kind>(in, word, {{"bond", Kind::kBond}, {"non-rdma", Kind::kNonRdma}}, kind)) {
      return false;
    }
    bool& allowed = kind == Kind::kBond ? nic.bonds : nic.non_rdma;
    if (allowed) return in.fail(word, text::cat(word, " stands twice"));
    allowed = true;
  }
  return true;
}

/// "2:1<=PXB", what follows "pair=".
bool read_pair(Lexer& in, std::string_view value, domain::PairClause& out) {
  const auto relation = value.find("<=");
  const auto colon = value.find(":1<=");
  if (relation == std::string_view::npos || colon == std::string_view::npos ||
      colon + 2 != relation) {
    return in.fail(value, text::cat(text::quoted(value), " is no pairing"),
                   "write pair<=PIX, or pair=2:1<=PXB for two GPUs to one NIC");
  }
  return read_int(in, value.substr(0, colon), 0, kCountMax, out.gpus_per_nic) &&
         read_distance(in, value.substr(relation + 2), out.bound);
}

bool add_wish(Lexer& in, std::string_view word, Wish wish, std::vector<Wish>& wishes) {
  if (std::find(wishes.begin(), wishes.end(), wish) != wishes.end()) {
    return in.fail(word, text::cat("the wish ", text::quoted(word), " stands twice"),
                   "nvlink=best is the same as prefer=gpus");
  }
  wishes.push_back(wish);
  return true;
}

bool read_wishes(Lexer& in, std::string_view list, std::vector<Wish>& wishes) {
  for (const auto word : text::split(list, ',')) {
    Wish wish{};
    const bool known = read_choice<Wish>(in, word,
                                         {{"pair", Wish::kPair},
                                          {"gpus", Wish::kGpus},
                                          {"numa", Wish::kNuma},
                                          {"mem", Wish::kMemory},
                                          {"nvme", Wish::kNvme}},
                                         wish);
    if (!known || !add_wish(in, word, wish, wishes)) return false;
  }
  return true;
}

bool read_nvlink_clause(Lexer& in, const Attribute& clause, Request& request) {
  enum class Word : std::uint8_t { kAll, kConnected, kBest };
  Word word{};
  if (!read_choice<Word>(
          in, clause.value,
          {{"all", Word::kAll}, {"connected", Word::kConnected}, {"best", Word::kBest}}, word)) {
    return false;
  }
  if (word == Word::kBest) return add_wish(in, clause.value, Wish::kGpus, request.wishes);
  request.nvlink =
      word == Word::kAll ? domain::NvlinkClause::kAll : domain::NvlinkClause::kConnected;
  return true;
}

using ReadClause = bool (*)(Lexer&, const Attribute&, RequestDraft&);
struct Clause {
  std::string_view key;
  ReadClause read;
};

/// In the order of docs/notation.md.
constexpr Clause kClauses[] = {
    {"gpu",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return is_alone(draft.gpu_word, clause, in) &&
              read_gpus(in, clause.value, draft.request.gpu);
     }},
    {"gpu.bytes",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return is_alone(draft.gpu_word, clause, in) &&
              read_gpu_bytes(in, clause.value, draft.request.gpu);
     }},
    {"mig",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return is_alone(draft.gpu_word, clause, in) &&
              read_mig_units(in, clause.value, draft.request.gpu);
     }},
    {"gpu.cards",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_cards(in, clause.value, draft.request.gpu.cards);
     }},
    {"gpu.model",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_name(in, clause.value, draft.request.gpu.model);
     }},
    {"gpu.mem>=",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_whole(in, clause.value, draft.request.gpu.memory_bytes_min);
     }},
    {"nic",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return is_alone(draft.nic_word, clause, in) &&
              read_int(in, clause.value, 0, kCountMax, draft.request.nic.count);
     }},
    {"nic.bw",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       draft.bandwidth_word = clause.word;
       return read_whole(in, clause.value, draft.request.nic.bandwidth_bits);
     }},
    {"vf",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       draft.request.nic.mode = NicMode::kVf;
       return is_alone(draft.nic_word, clause, in) &&
              read_int(in, clause.value, 0, kCountMax, draft.request.nic.count);
     }},
    {"vf.cards",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_cards(in, clause.value, draft.request.nic.cards);
     }},
    {"nic.role",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       using domain::RoleWanted;
       return read_choice<RoleWanted>(in, clause.value,
                                      {{"compute", RoleWanted::kCompute},
                                       {"storage", RoleWanted::kStorage},
                                       {"any", RoleWanted::kAny}},
                                      draft.request.nic.role);
     }},
    {"nic.rate>=",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_whole(in, clause.value, draft.request.nic.rate_bits_min);
     }},
    {"nic.allow",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_allowed(in, clause.value, draft.request.nic);
     }},
    {"nvme",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_int(in, clause.value, 0, kCountMax, draft.request.nvme_count);
     }},
    {"pair<=",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       if (draft.request.pair) return in.fail(clause.word, "pair stands twice");
       draft.pair_counts_itself = true;
       return read_distance(in, clause.value, draft.request.pair.emplace().bound);
     }},
    {"pair",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       if (draft.request.pair) return in.fail(clause.word, "pair stands twice");
       return read_pair(in, clause.value, draft.request.pair.emplace());
     }},
    {"gpus<=",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_distance(in, clause.value, draft.request.gpus_within.emplace());
     }},
    {"nvlink", [](Lexer& in, const Attribute& clause,
                  RequestDraft& draft) { return read_nvlink_clause(in, clause, draft.request); }},
    {"nvme<=",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_distance(in, clause.value, draft.request.nvme_within.emplace());
     }},
    {"cores",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_int(in, clause.value, 0, kCountMax, draft.request.cores);
     }},
    {"cores.plan",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       using domain::CorePlan;
       return read_choice<CorePlan>(in, clause.value,
                                    {{"packed", CorePlan::kPacked}, {"spread", CorePlan::kSpread}},
                                    draft.request.core_plan);
     }},
    {"cpu",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_milli(in, clause.value, draft.request.cpu_milli);
     }},
    {"mem",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_whole(in, clause.value, draft.request.memory_bytes);
     }},
    {"numa",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       using domain::NumaClause;
       return read_choice<NumaClause>(in, clause.value,
                                      {{"single", NumaClause::kSingle},
                                       {"near-devices", NumaClause::kNearDevices},
                                       {"best", NumaClause::kBest},
                                       {"none", NumaClause::kNone}},
                                      draft.request.numa);
     }},
    {"prefer",
     [](Lexer& in, const Attribute& clause, RequestDraft& draft) {
       return read_wishes(in, clause.value, draft.request.wishes);
     }},
    {"arch", [](Lexer& in, const Attribute& clause,
                RequestDraft& draft) { return read_name(in, clause.value, draft.request.arch); }},
};

bool read_clause(Lexer& in, const Attribute& clause, RequestDraft& draft) {
  for (const auto& known : kClauses) {
    if (known.key == clause.key && clause.relation != Relation::kNone) {
      return known.read(in, clause, draft);
    }
  }
  std::array<std::string_view, std::size(kClauses)> keys;
  std::transform(std::begin(kClauses), std::end(kClauses), keys.begin(),
                 [](const Clause& known) { return known.key; });
  if (clause.relation == Relation::kNone && std::ranges::find(keys, clause.key) != keys.end()) {
    return in.fail(clause.word, text::cat(text::quoted(clause.key), " has no value"),
                   text::cat("write ", clause.key, "= and a value"));
  }
  return fail_unknown(in, clause.key, text::cat("no clause is called ", text::quoted(clause.key)),
                      keys);
}

bool settle(Lexer& in, RequestDraft& draft) {
  auto& request = draft.request;
  if (!draft.bandwidth_word.empty()) {
    if (attribute_of(draft.nic_word).key != "nic") {
      return in.fail(draft.bandwidth_word,
                     "nic.bw= without nic=", "say of how many NICs: nic=1 nic.bw=40G");
    }
    request.nic.mode = NicMode::kBandwidth;
  }
  if (draft.pair_counts_itself) {
    request.pair->gpus_per_nic = gpus_per_nic_at_least(request);
  }
  return true;
}

}  // namespace

int gpus_per_nic_at_least(const Request& request) {
  const auto gpus = static_cast<int>(request.gpu.units.size());
  const int nics = request.nic.count;
  return nics == 0 ? 1 : std::max(1, (gpus + nics - 1) / nics);
}

bool read_request(Lexer& in, Request& out) {
  RequestDraft draft;
  Once once;
  while (in.at_word()) {
    const auto clause = attribute_of(in.take().text);
    if (!once.first(in, clause) || !read_clause(in, clause, draft)) return false;
  }
  if (in.failed() || !settle(in, draft)) return false;
  out = std::move(draft.request);
  return true;
}

}  // namespace tenon::notation
