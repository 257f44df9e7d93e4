#include "sgf/serving/stream_engine.h"

#include "sgf/serving/live_order.h"
#include "sgf/streaming/video_orders.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sgf {
namespace {

int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<int64_t> limit_of(const std::optional<double>& seconds, const Config& config) {
  if (!seconds) return {};
  return blocks_for(*seconds, config);
}

[[noreturn]] void refuse_now(const std::string& message, const std::string& hint) {
  throw HttpError(409, "wrong_state", message, hint);
}

}  // namespace

StreamEngine::StreamEngine(EngineSettings settings, std::vector<ServedModel> models,
                           std::function<void(const std::string&)> changed)
    : settings_(std::move(settings)),
      models_(std::move(models)),
      changed_callback_(std::move(changed)),
      folder_(settings_.folder),
      snapshots_(settings_.snapshot_bytes) {
  SGF_CHECK(!models_.empty(), "a server needs at least one model");
  load_records();
  thread_ = std::thread([this] { run(); });
}

StreamEngine::~StreamEngine() { shut_down(); }

void StreamEngine::shut_down() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StreamEngine::tell(const std::string& id) const {
  if (changed_callback_) changed_callback_(id);
}

// Streams of earlier starts. Blocks that a kill left in a file beyond its last state are whole, and count.
void StreamEngine::load_records() {
  std::vector<std::string> damaged;
  for (StreamRecord& record : folder_.load(damaged)) {
    last_number_ = std::max(last_number_, stream_number(record.id));
    const auto served = std::ranges::find_if(models_, [&](const ServedModel& model) {
      return model.defaults.model_identity == record.order.model_identity && model.defaults.loras == record.order.loras;
    });
    const std::string id = record.id;
    try {
      LiveStream& stream = add(std::move(record), served == models_.end() ? nullptr : &*served);
      stream.is_saved = true;
      const std::filesystem::path media = folder_.media_of(id);
      if (std::filesystem::exists(media))
        stream.media = index_media(media, stream.record.order, stream.record.limit_blocks.value_or(INT64_MAX));
      if (serves_mp4() && stream.made() > 0) stream.mime = media_type_of(media);
      std::error_code error;
      const auto state_bytes = std::filesystem::file_size(folder_.state_of(id), error);
      stream.state_bytes = error ? 0 : static_cast<int64_t>(state_bytes);
      if (stream.has_its_length()) stream.is_saved = false;  // completed
    } catch (const Error& error) {
      damaged.push_back(error.what());
      if (!streams_.empty() && streams_.back()->record.id == id) streams_.pop_back();
    }
  }
  if (settings_.log)
    for (const std::string& line : damaged) settings_.log(fmt::format("passing over a stream: {}", line));
}

LiveStream& StreamEngine::add(StreamRecord record, const ServedModel* model) {
  auto stream = std::make_unique<LiveStream>();
  stream->record = std::move(record);
  stream->model = model;
  streams_.push_back(std::move(stream));
  return *streams_.back();
}

std::string StreamEngine::new_id() { return stream_id(++last_number_); }

LiveStream& StreamEngine::find(const std::string& id) const {
  for (const auto& stream : streams_)
    if (stream->record.id == id && !stream->is_deleted) return *stream;
  throw HttpError(404, "not_found", fmt::format("stream {} does not exist", id), "GET /v1/videos lists all");
}

std::vector<LiveStream*> StreamEngine::with_pair(const std::string& id) const {
  std::vector<LiveStream*> both{&find(id)};
  for (const auto& stream : streams_)
    if (!both[0]->record.pair.empty() && stream->record.id == both[0]->record.pair && !stream->is_deleted)
      both.push_back(stream.get());
  return both;
}

void StreamEngine::save_record(LiveStream& stream) {
  stream.record.blocks = stream.made();
  folder_.save(stream.record);
}

void StreamEngine::check_room() const {
  if (is_stopping_) throw HttpError(503, "stopping", "the server is stopping", "start it again and repeat the request");
  const auto unfinished = std::ranges::count_if(streams_, [](const auto& s) { return !s->is_over(); });
  if (unfinished >= settings_.most_streams)
    throw HttpError(429, "too_many_streams", fmt::format("{} streams are unfinished, which is the limit", unfinished),
                    "stop one of them, or start sgf serve with a larger --most-streams");
  if (disk_bytes() >= settings_.disk_bytes)
    throw HttpError(507, "disk_limit", fmt::format("videos and states take {} bytes, which is the limit", disk_bytes()),
                    "delete streams, or start sgf serve with a larger --disk");
}

int64_t StreamEngine::disk_bytes() const {
  int64_t bytes = 0;
  for (const auto& stream : streams_) bytes += stream->disk_bytes();
  return bytes;
}

// The stream of one model, checked: what a video could not store, and prompts that cannot be encoded, are refused.
StreamRecord StreamEngine::record_for(const ServedModel& model, const NewStream& wishes) const {
  GenerateOrder order = wishes.order ? *wishes.order : order_for(model, wishes.wishes);
  if (wishes.order) {
    order.model = model.defaults.model, order.model_identity = model.defaults.model_identity;
    order.loras = model.defaults.loras, order.wan = model.defaults.wan;
  }
  order_text(order);
  model.encode(order);
  return {.created = seconds_now(),
          .model = model.name,
          .order = order,
          .is_live = wishes.is_live,
          .ahead = wishes.is_live ? wishes.ahead : 0,
          .limit_blocks = limit_of(wishes.seconds, order.config)};
}

// The model of a new stream: the one that made the order that it reproduces, or the one that was asked for.
size_t StreamEngine::model_for(const NewStream& wishes) const {
  if (wishes.beside) {
    if (models_.size() < 2)
      throw HttpError(400, "no_second_model", "this server has one model", "start sgf serve with --beside MODEL");
    return 0;
  }
  if (!wishes.order) return wishes.model;
  for (size_t i = 0; i < models_.size(); ++i)
    if (models_[i].defaults.model_identity == wishes.order->model_identity) return i;
  refuse_now("the order was made with weights that this server has not loaded",
             fmt::format("start sgf serve with --model {}", wishes.order->model));
}

std::string StreamEngine::create(const NewStream& wishes) {
  const size_t first = model_for(wishes), count = wishes.beside ? 2 : 1;
  NewStream same = wishes;  // a pair has the same seed
  std::vector<StreamRecord> records;
  for (size_t i = 0; i < count; ++i) {
    records.push_back(record_for(models_.at(first + i), same));
    same.wishes.seed = records.front().order.config.run.seed;
  }
  Lock lock(mutex_);
  check_room();
  std::vector<std::string> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(new_id());
  for (size_t i = 0; i < count; ++i) {
    records[i].id = ids[i];
    if (count == 2) records[i].pair = ids[1 - i];
    folder_.save(records[i]);
    add(std::move(records[i]), &models_[first + i]);
  }
  lock.unlock();
  changed_.notify_all();
  for (const std::string& id : ids) tell(id);
  return ids.front();
}

// The prompt is encoded before the block is chosen: encoding takes time, in which further blocks may begin.
void StreamEngine::direct(const std::string& id, const std::string& prompt, std::optional<PromptSwitch> on_switch,
                          std::optional<double> at) {
  const ServedModel* model = nullptr;
  GenerateOrder wanted;
  {
    const std::lock_guard lock(mutex_);
    const LiveStream& stream = find(id);
    model = stream.model;
    wanted = stream.record.order;
    if (stream.is_over() || model == nullptr)
      refuse_now(fmt::format("stream {} is {}, so its prompts cannot change", id,
                             enum_name(stream.is_stopped ? StreamStatus::kStopped : status_of(stream))),
                 "resume it first, or branch from it");
  }
  wanted.prompts = {{0, prompt}};
  model->encode(wanted);             // refuses what cannot be encoded, and remembers the rest
  std::vector<std::string> changed;  // a stream that is deleted may be gone once the lock is free
  {
    const std::lock_guard lock(mutex_);
    const std::vector<LiveStream*> both = with_pair(id);
    int64_t block = at ? block_at_seconds(both[0]->record.order.config, *at) : 0;
    for (const LiveStream* stream : both) block = std::max(block, stream->next_block());
    for (LiveStream* stream : both) {
      sgf::direct(stream->record.order, block, prompt, on_switch);
      save_record(*stream);  // before a block is made with it
      stream->timeline_changed = true;
      changed.push_back(stream->record.id);
    }
  }
  changed_.notify_all();
  for (const std::string& one : changed) tell(one);
}

void StreamEngine::pause(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    for (LiveStream* stream : with_pair(id)) stream->is_paused = true;
  }
  tell(id);
}

void StreamEngine::resume(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    LiveStream& asked = find(id);
    if (asked.model == nullptr)
      refuse_now(fmt::format("stream {} was made with weights that this server has not loaded", id),
                 fmt::format("start sgf serve with --model {}", asked.record.order.model));
    if (asked.is_over()) check_room();
    for (LiveStream* stream : with_pair(id)) {
      stream->is_paused = stream->is_stopped = stream->is_saved = false;
      stream->error.clear();
      stream->last_seen = ServeClock::now();
      if (stream->has_its_length()) {  // a viewer wants to see more
        stream->record.limit_blocks.reset();
        if (!std::exchange(stream->record.is_live, true)) stream->record.ahead = 2;
      }
      save_record(*stream);
    }
  }
  changed_.notify_all();
  tell(id);
}

void StreamEngine::stop(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    for (LiveStream* stream : with_pair(id)) stream->is_stopped = true;
  }
  changed_.notify_all();
  tell(id);
}

void StreamEngine::played(const std::string& id, double seconds) {
  {
    const std::lock_guard lock(mutex_);
    block_at_seconds(find(id).record.order.config, seconds);  // checks the value
    for (LiveStream* stream : with_pair(id)) {
      stream->played = std::max(stream->played, seconds);
      stream->last_seen = ServeClock::now();
    }
  }
  changed_.notify_all();
}

// One stream of a branch, or of a pair of branches. Holds the lock.
std::string StreamEngine::branch_one(LiveStream& parent, int64_t block, const BranchWishes& wishes) {
  StreamRecord record{.id = new_id(),
                      .created = seconds_now(),
                      .model = parent.record.model,
                      .order = parent.record.order,
                      .is_live = true,
                      .ahead = parent.record.is_live ? parent.record.ahead : 2,
                      .parent = parent.record.id,
                      .branch_block = block};
  record.limit_blocks = limit_of(wishes.seconds, record.order.config);
  if (record.limit_blocks) record.limit_blocks = std::max(*record.limit_blocks, block + 1);
  if (!wishes.prompt.empty()) {  // later prompts of the parent do not follow it
    const std::vector<SeedChange> seeds = record.order.seeds;
    record.order = order_of_blocks(std::move(record.order), block);
    record.order.seeds = seeds;
    sgf::direct(record.order, block, wishes.prompt, wishes.on_switch);
  }
  if (wishes.seed) reseed(record.order, block, *wishes.seed);
  MediaIndex media;
  folder_.save(record);
  if (block > 0)
    media = copy_media(folder_.media_of(parent.record.id), parent.media, block, folder_.media_of(record.id),
                       record.order.config);
  snapshots_.share(parent.record.id, block, record.id);
  LiveStream& branch = add(std::move(record), parent.model);
  branch.media = media;
  branch.mime = parent.mime;
  branch.played = block_seconds(branch.record.order.config, block);
  return branch.record.id;
}

std::string StreamEngine::branch(const std::string& id, const BranchWishes& wishes) {
  const ServedModel* model = nullptr;
  GenerateOrder wanted;
  {
    const std::lock_guard lock(mutex_);
    model = find(id).model;
    wanted = find(id).record.order;
  }
  if (model == nullptr)
    refuse_now(fmt::format("stream {} was made with weights that this server has not loaded", id),
               fmt::format("start sgf serve with --model {}", wanted.model));
  if (!wishes.prompt.empty()) {
    wanted.prompts = {{0, wishes.prompt}};
    model->encode(wanted);
  }
  std::vector<std::string> ids;
  {
    const std::lock_guard lock(mutex_);
    check_room();
    const std::vector<LiveStream*> both = with_pair(id);
    int64_t block = block_at_seconds(both[0]->record.order.config, wishes.at);
    for (const LiveStream* stream : both) block = std::min(block, stream->made());
    for (LiveStream* stream : both) ids.push_back(branch_one(*stream, block, wishes));
    for (size_t i = 0; ids.size() == 2 && i < 2; ++i) {
      LiveStream& one = find(ids[i]);
      one.record.pair = ids[1 - i];
      save_record(one);
    }
  }
  changed_.notify_all();
  for (const std::string& one : ids) tell(one);
  return ids.front();
}

void StreamEngine::remove(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    find(id).is_deleted = true;
  }
  changed_.notify_all();
  tell(id);
}

}  // namespace sgf
