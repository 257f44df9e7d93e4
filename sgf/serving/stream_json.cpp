#include "sgf/serving/stream_json.h"

#include "sgf/serving/live_order.h"
#include "sgf/streaming/stream_parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace sgf {
namespace {

using Json = nlohmann::json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

double rounded(double value) { return std::round(value * 10) / 10; }

Json timeline_json(const GenerateOrder& order) {
  Json list = Json::array();
  for (const TimedPrompt& prompt : order.prompts)
    list.push_back({{"at", prompt.seconds},
                    {"prompt", prompt.prompt},
                    {"switch", enum_name(prompt.on_switch.value_or(order.on_switch))}});
  return list;
}

Json seeds_json(const GenerateOrder& order) {
  Json list = Json::array({{{"at", 0}, {"seed", order.config.run.seed}}});
  for (const SeedChange& change : order.seeds)
    list.push_back({{"at", block_seconds(order.config, change.block)}, {"seed", change.seed}});
  return list;
}

Json rates_json(const StreamView& v) {
  const Config& c = v.record.order.config;
  const int64_t played = block_at_seconds(c, v.played);
  return {{"made_fps", rounded(v.rates.made_fps)},
          {"played_fps", c.video.fps},
          {"ahead_blocks", std::max<int64_t>(v.made - played - 1, 0)},
          {"denoise_ms", rounded(v.rates.last.denoise)},
          {"decode_ms", rounded(v.rates.last.decode)},
          {"encode_ms", rounded(v.rates.last.deliver)},
          {"line", rate_line(v.rates)}};
}

Json progress_of(const StreamView& v) {
  if (!v.record.limit_blocks) return {};
  return std::min(1.0, static_cast<double>(v.made) / static_cast<double>(*v.record.limit_blocks));
}

}  // namespace

std::string rate_line(const BlockRates& rates) {
  if (rates.made_fps == 0) return {};
  return fmt::format("{:.1f} frames/s; denoising {:.0f} ms, decoding {:.0f} ms, encoding {:.0f} ms per block",
                     rates.made_fps, rates.last.denoise, rates.last.decode, rates.last.deliver);
}

namespace {

// What a stream is.
Json order_json(const StreamView& v) {
  const StreamRecord& r = v.record;
  const Config& c = r.order.config;
  const PictureSize size = picture_size(c);
  const int64_t enlarge = r.order.enlarge;
  return {{"id", r.id},
          {"object", "video"},
          {"created", r.created},
          {"model", r.model},
          {"title", r.order.prompts.front().prompt},
          {"live", r.is_live},
          {"endless", !r.limit_blocks},
          {"limit_seconds", r.limit_blocks ? Json(block_seconds(c, *r.limit_blocks)) : Json()},
          {"seed", c.run.seed},
          {"size", fmt::format("{}x{}", size.width * enlarge, size.height * enlarge)},
          {"fps", c.video.fps},
          {"block_frames", {pictures_for(1, c), pictures_for(2, c) - pictures_for(1, c)}},
          {"steps", c.schedule.timesteps().size()},
          {"guidance", r.order.guidance},
          {"window", fmt::format("{}+{}+{}", c.context.sink_frames, c.context.fifo_frames, c.context.block_frames)},
          {"timeline", timeline_json(r.order)},
          {"seeds", seeds_json(r.order)},
          {"order_link", "/?order=" + r.id},
          {"parent", or_null(r.parent)},
          {"branch_at", r.parent.empty() ? Json() : Json(block_seconds(c, r.branch_block))},
          {"branch_block", r.parent.empty() ? Json() : Json(r.branch_block)},
          {"pair", or_null(r.pair)}};
}

}  // namespace

Json stream_json(const StreamView& v) {
  const Config& c = v.record.order.config;
  Json json = order_json(v);
  json.update({{"status", enum_name(v.status)},
               {"paused", v.is_paused},
               {"can_resume", v.can_resume},
               {"blocks", v.made},
               {"frames", pictures_for(v.made, c)},
               {"seconds", block_seconds(c, v.made)},
               {"progress", progress_of(v)},
               {"queue", v.queue_place},
               {"played", v.played},
               {"rates", rates_json(v)},
               {"memory",
                {{"device", or_null(v.device)},
                 {"cache_bytes", v.cache_bytes},
                 {"snapshots_bytes", v.snapshot_bytes},
                 {"disk_bytes", v.disk_bytes}}},
               {"saved_blocks", v.saved_blocks},
               {"media", serves_mp4() ? "mp4" : "png"},
               {"mime", or_null(v.mime)},
               {"error", or_null(v.error)}});
  return json;
}

}  // namespace sgf
