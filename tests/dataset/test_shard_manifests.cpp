// Orders and manifests that others wrote: what is nested a hundred thousand deep, and counts that leave 64 bits, are
// refused with the file's name.
#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/pair_manifest.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::write_text;
using Json = nlohmann::json;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

std::string nested() { return std::string(100'000, '[') + std::string(100'000, ']'); }

// As large a document as an honest one, with a key of nothing but brackets.
std::string with_nested(const Json& json) {
  const std::string text = json.dump();
  return text.substr(0, text.size() - 1) + R"(,"more":)" + nested() + "}";
}

PairOrder small_order() {
  return {.stage = "causal_ode",
          .teacher = "t",
          .data = "d",
          .timesteps = {1000, 500},
          .latent = {3, 4, 2, 2},
          .count = 4,
          .per_shard = 2};
}

class PairFiles : public ::testing::Test {
 protected:
  void write_order(const PairOrder& order) const { write_text(order_file(folder_.path()), to_json(order).dump()); }

  // A manifest of two shards of the right size; `change` may spoil it.
  template <class Change>
  void write_manifest(const Change& change) const {
    write_order(small_order());
    Json shards = Json::array();
    for (int64_t i = 0; i < 2; ++i) {
      write_text(shard_file(folder_.path(), i), "12345678");
      shards.push_back(to_json(PairShard{shard_file("", i).string(), 2 * i, 2, 8, "0"}));
    }
    Json order = to_json(small_order());
    Json manifest{{"format", order.at("format")}, {"order", order}, {"shards", shards}};
    change(manifest);
    write_text(manifest_file(folder_.path()), manifest.dump());
  }

  std::string refused() const {
    return refusal_of([&] { read_pair_manifest(folder_.path()); });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(PairFiles, AreReadWhereTheyAreWhole) {
  write_manifest([](Json&) {});
  EXPECT_EQ(read_pair_manifest(folder_.path()).shards.size(), 2u);
}

TEST_F(PairFiles, NestedOrdersAndManifestsAreRefused) {
  write_text(order_file(folder_.path()), with_nested(to_json(small_order())));
  EXPECT_THAT(refused(), AllOf(HasSubstr("order.json"), HasSubstr("nested deeper")));
  write_manifest([](Json&) {});
  write_text(manifest_file(folder_.path()), with_nested(Json::object({{"format", "sgf ode pairs 1"}})));
  EXPECT_THAT(refused(), AllOf(HasSubstr("manifest.json"), HasSubstr("nested deeper")));
}

TEST_F(PairFiles, AnOrderOfMorePairsThanAnyDiskHoldsIsRefused) {
  PairOrder order = small_order();
  order.count = kMost;
  write_order(order);
  EXPECT_THAT(refused(), AllOf(HasSubstr("order.json"), HasSubstr("9223372036854775807 pairs")));
  order = small_order();
  order.latent = {kMost, kMost, 2, 2};
  write_order(order);
  EXPECT_THAT(refused(), HasSubstr("larger than any disk"));
}

// One file of the folder is asked for, not each of a quadrillion shards.
TEST_F(PairFiles, UnfinishedShardsAreCountedByWhatIsThere) {
  PairOrder order = small_order();
  order.count = int64_t{1} << 50;
  order.per_shard = 1;
  write_order(order);
  write_text(shard_mark(folder_.path(), 7), "{}");
  EXPECT_THAT(refused(), HasSubstr("1 of 1125899906842624 shards are complete"));
}

TEST_F(PairFiles, ShardsThatDoNotFollowOneAnotherAreRefused) {
  write_manifest([](Json& manifest) { manifest["shards"][1]["first"] = kMost; });
  EXPECT_THAT(refused(),
              HasSubstr("should have 2 pairs from 2 on, but the manifest says 2 from 9223372036854775807 on"));
  write_manifest([](Json& manifest) { manifest["shards"][0]["count"] = -1; });
  EXPECT_THAT(refused(), HasSubstr("should have 2 pairs from 0 on"));
}

TEST(ClipFiles, MoreClipsThanTheirShardHasBytesAreRefused) {
  const testing::TemporaryFolder folder;
  ClipManifest manifest{.order = {.latent = {3, 4, 2, 2}}, .videos = {{.name = "a.mp4", .clips = 2, .shard_bytes = 8}}};
  const auto write = [&] {
    write_text(order_file(folder.path()), to_json(manifest.order).dump());
    write_text(manifest_file(folder.path()), to_json(manifest).dump());
    write_text(clip_shard(folder.path(), "a.mp4"), "12345678");
    write_text(clip_shard(folder.path(), "b.mp4"), "12345678");
  };
  write();
  EXPECT_EQ(read_clip_manifest(folder.path()).clips(), 2);
  manifest.videos = {{.name = "a.mp4", .clips = kMost, .shard_bytes = 8},
                     {.name = "b.mp4", .clips = kMost, .shard_bytes = 8}};  // together more than 64 bits hold
  write();
  EXPECT_THAT(refusal_of([&] { read_clip_manifest(folder.path()); }), HasSubstr("not a list of clips"));
}

}  // namespace
}  // namespace sgf
