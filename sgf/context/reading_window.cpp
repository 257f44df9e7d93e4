#include "sgf/context/reading_window.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

RopeTable rows_of(const RopeTable& table, int64_t first, int64_t count) {
  return {table.cos.narrow(0, first, count), table.sin.narrow(0, first, count)};
}

}  // namespace

bool ReadingWindow::holds(int64_t layer, const Reading& reading) const {
  return layers_[static_cast<size_t>(layer)].reading == reading;
}

bool ReadingWindow::is_of(int64_t layer, FrameSpan block) const {
  const auto& reading = layers_[static_cast<size_t>(layer)].reading;
  return reading && reading->block == block;
}

void ReadingWindow::begin(int64_t layer, const KeysValues& like) {
  layers_[static_cast<size_t>(layer)] = {};
  if (stores_.keys.defined()) return;
  const auto store = [&](const at::Tensor& t) {
    return at::empty({static_cast<int64_t>(layers_.size()), t.size(0), rows_, t.size(2), t.size(3)}, t.options());
  };
  stores_ = {store(like.keys), store(like.values)};
}

KeysValues ReadingWindow::place(int64_t layer, int64_t first, int64_t tokens) const {
  SGF_CHECK(first + tokens <= rows_, "a reading window of {} tokens has no room for {} behind {}", rows_, tokens,
            first);
  return {stores_.keys.select(0, layer).narrow(1, first, tokens),
          stores_.values.select(0, layer).narrow(1, first, tokens)};
}

void ReadingWindow::add(int64_t layer, const KeysValues& history, const RopeTable& rope) {
  int64_t& filled = layers_[static_cast<size_t>(layer)].filled;
  const int64_t tokens = history.keys.size(1);
  const KeysValues to = place(layer, filled, tokens);
  rotate_into(to.keys, history.keys, rows_of(rope, filled, tokens));
  to.values.copy_(history.values);
  filled += tokens;
}

void ReadingWindow::finish(int64_t layer, const Reading& reading) {
  layers_[static_cast<size_t>(layer)].reading = reading;
}

KeysValues ReadingWindow::with_own(int64_t layer, const KeysValues& own, const RopeTable& rope) {
  const int64_t filled = layers_[static_cast<size_t>(layer)].filled, tokens = own.keys.size(1);
  const KeysValues to = place(layer, filled, tokens);
  rotate_into(to.keys, own.keys, rows_of(rope, filled, tokens));
  to.values.copy_(own.values);
  return place(layer, 0, filled + tokens);
}

void ReadingWindow::forget(int64_t layer) { layers_[static_cast<size_t>(layer)].reading.reset(); }

void ReadingWindow::forget_all() {
  for (Layer& layer : layers_) layer.reading.reset();
}

int64_t ReadingWindow::bytes() const {
  return stores_.keys.defined() ? static_cast<int64_t>(stores_.keys.nbytes() + stores_.values.nbytes()) : 0;
}

}  // namespace sgf
