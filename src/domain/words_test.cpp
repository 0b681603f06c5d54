// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The words of the small nouns: distances, addresses, links, verdicts; wishes and "nothing asked".
#include <gtest/gtest.h>

#include <string>

#include "domain/refusal.hpp"
#include "domain/request.hpp"

namespace tenon::domain {
namespace {

TEST(Distance, HasAWordEach) {
  for (const std::string_view word : {"PIX", "PXB", "PHB", "NODE", "SYS"}) {
    EXPECT_EQ(to_text(distance_from_text(word).value()), word);
  }
  EXPECT_EQ(to_text(Distance::kSame), "SAME");
  for (const std::string_view word : {"SAME", "pix", "PIX ", "", "X", "NV1"}) {
    EXPECT_FALSE(distance_from_text(word)) << word;
  }
}

TEST(Distance, NotKnownIsWithinNothing) {
  EXPECT_TRUE(within(Distance::kPix, Distance::kPix));
  EXPECT_FALSE(within(Distance::kPxb, Distance::kPix));
  EXPECT_FALSE(within(std::nullopt, Distance::kSys));
}

std::string address(std::string_view text) {
  const auto parsed = pci_address_from_text(text);
  return parsed ? to_text(*parsed) : "no";
}

TEST(PciAddress, IsCanonical) {
  EXPECT_EQ(address("0000:10:1c.0"), "0000:10:1c.0");
  EXPECT_EQ(address("10:1C.7"), "0000:10:1c.7");
  EXPECT_EQ(address("00000000:C1:00.0"), "0000:c1:00.0");
  EXPECT_EQ(address("10000:e1:00.0"), "10000:e1:00.0");
  EXPECT_EQ(address("ffffffff:ff:1f.7"), "ffffffff:ff:1f.7");
}

TEST(PciAddress, RefusesTheRest) {
  for (const std::string_view text :
       {"", "10", "10:00", "10:00.8", "10:20.0", "1:00.0", "100:00.0", "0000:10:00.0.0",
        "0:0000:10:00.0", "100000000:10:00.0", ":10:00.0", "0000:10:00.-1", "10:0x.0", "10:00."}) {
    EXPECT_EQ(address(text), "no") << text;
  }
}

TEST(Link, ReadsWhatItWrites) {
  for (const std::string_view cell : {"?", "X", "PIX", "SYS", "NV1", "NV18", "NV255"}) {
    EXPECT_EQ(to_text(link_from_text(cell).value()), cell);
  }
  for (const std::string_view cell :
       {"", "NV", "NV0", "NV256", "NV-1", "nv1", "x", "SAME", "PIXX"}) {
    EXPECT_FALSE(link_from_text(cell)) << cell;
  }
}

TEST(Node, FindsADeviceByItsName) {
  Node node;
  node.devices = {
      Device{.ordinal = 0, .facts = GpuFacts{}}, Device{.ordinal = 1, .facts = GpuFacts{}},
      Device{.ordinal = 0, .facts = NicFacts{}}, Device{.ordinal = 0, .facts = NvmeFacts{}}};
  EXPECT_EQ(find_device(node, DeviceKind::kNic, 0), DeviceIndex{2});
  EXPECT_EQ(find_device(node, DeviceKind::kNic, 1), std::nullopt);
  EXPECT_EQ(to_text(node.devices[1]), "gpu1");
  EXPECT_EQ(to_text(node.devices[3]), "nvme0");
}

TEST(Refusal, HasStableWords) {
  EXPECT_EQ(to_text(Verdict::kNotNow), "not now");
  EXPECT_EQ(to_text(Verdict::kForbidden), "forbidden");
  EXPECT_EQ(to_text(Verdict::kNeverFits), "never fits");
  EXPECT_EQ(to_text(Verdict::kBadlyAsked), "badly asked");
  EXPECT_EQ(to_text(RefusalCode::kArch), "arch");
  EXPECT_EQ(to_text(RefusalCode::kNicFunction), "nic-function");
  EXPECT_EQ(to_text(RefusalCode::kPair), "pair");
  EXPECT_EQ(to_text(RefusalCode::kNvmeDistance), "nvme-distance");
  EXPECT_EQ(to_text(RefusalCode::kRanges), "ranges");
  EXPECT_EQ(to_text(RefusalCode::kNotKnown), "not-known");
  EXPECT_EQ(to_text(RefusalCode::kRequest), "request");
}

TEST(Request, AsksNothingUntilItNamesAnAmount) {
  Request request;
  request.numa = NumaClause::kSingle;  // says how, not what
  EXPECT_TRUE(asks_nothing(request));
  Request cpu = request;
  cpu.cpu_milli = 1;
  EXPECT_FALSE(asks_nothing(cpu));
  Request gpu = request;
  gpu.gpu.units.emplace_back();
  EXPECT_FALSE(asks_nothing(gpu));
  Request arch = request;
  arch.arch = "arm64";  // not every node will do
  EXPECT_FALSE(asks_nothing(arch));
}

TEST(Request, PutsItsOwnWishesFirst) {
  Request request;
  request.wishes = {Wish::kNuma, Wish::kGpus};
  EXPECT_EQ(wish_order(request),
            (std::vector{Wish::kNuma, Wish::kGpus, Wish::kPair, Wish::kMemory, Wish::kNvme}));
  request.numa = NumaClause::kNone;
  EXPECT_EQ(wish_order(request), (std::vector{Wish::kGpus, Wish::kPair, Wish::kNvme}));
}

}  // namespace
}  // namespace tenon::domain
