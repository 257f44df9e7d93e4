#include "sgf/vae/tiled_streams.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <ATen/ATen.h>

#include <charconv>

namespace sgf {
namespace {

const std::string kSize = "size", kTile = "tile.";

at::Tensor as_tensor_like(const std::vector<double>& values, const at::Tensor& like) {
  return at::tensor(values, at::kDouble).to(like.options());
}

void check_size(const TileGrid& grid, int64_t height, int64_t width) {
  SGF_CHECK(grid.height() == height && grid.width() == width,
            "a stream must continue with {} x {} latent pixels, got {} x {}", grid.height(), grid.width(), height,
            width);
}

// The tile's number in "tile.12.history..."; `rest` receives what follows.
size_t tile_number(const std::string& name, std::string& rest) {
  size_t number = 0;
  const char *begin = name.data() + std::min(kTile.size(), name.size()), *end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(begin, end, number);
  const bool fits = name.starts_with(kTile) && error == std::errc() && stopped != end && *stopped == '.';
  SGF_CHECK(fits, "unexpected tensor {} in a saved stream of tiles", in_quotes(name));
  rest.assign(stopped + 1, end);
  return number;
}

}  // namespace

TileGrid::TileGrid(int64_t height, int64_t width, const TileSettings& settings, int64_t scale)
    : height_(height),
      width_(width),
      scale_(scale),
      settings_(settings),
      rows_(tile_spans(height, settings)),
      columns_(tile_spans(width, settings)) {}

at::Tensor TileGrid::part(const at::Tensor& frames, size_t index, int64_t scale) const {
  const TileSpan &row = rows_[index / columns_.size()], &column = columns_[index % columns_.size()];
  return frames.narrow(3, row.begin * scale, row.length() * scale)
      .narrow(4, column.begin * scale, column.length() * scale);
}

at::Tensor TileGrid::weight(size_t index, const at::Tensor& like) const {
  const auto down = tile_weights(rows_[index / columns_.size()], height_, settings_, scale_);
  const auto across = tile_weights(columns_[index % columns_.size()], width_, settings_, scale_);
  return at::outer(as_tensor_like(down, like), as_tensor_like(across, like));
}

at::Tensor TileGrid::blend(const std::vector<at::Tensor>& parts) const {
  if (parts.size() == 1) return parts.front();
  std::vector<int64_t> shape = parts.front().sizes().vec();
  shape[3] = height_ * scale_, shape[4] = width_ * scale_;
  const at::Tensor sum = at::zeros(shape, parts.front().options());
  const at::Tensor total = at::zeros({1, 1, 1, shape[3], shape[4]}, parts.front().options());
  for (size_t i = 0; i < parts.size(); ++i) {
    const at::Tensor counts = weight(i, parts[i]);
    part(sum, i, scale_).add_(parts[i] * counts);
    part(total, i, scale_).add_(counts);
  }
  return sum.div_(total);
}

TiledDecoderStream::TiledDecoderStream(Make make, const TileSettings& settings, int64_t factor)
    : make_(std::move(make)), settings_(settings), factor_(factor) {
  settings_.validate();
}

void TiledDecoderStream::begin(int64_t height, int64_t width) {
  grid_ = std::make_unique<TileGrid>(height, width, settings_, factor_);
  tiles_.clear();
  for (size_t i = 0; i < grid_->count(); ++i) tiles_.push_back(make_());
}

at::Tensor TiledDecoderStream::next(const at::Tensor& latents) {
  SGF_CHECK(latents.dim() == 5, "latents must be [B, F, C, h, w], got {} dimensions", latents.dim());
  if (grid_ == nullptr) begin(latents.size(3), latents.size(4));
  check_size(*grid_, latents.size(3), latents.size(4));
  std::vector<at::Tensor> parts;
  for (size_t i = 0; i < tiles_.size(); ++i) parts.push_back(tiles_[i]->next(grid_->part(latents, i, 1)));
  return grid_->blend(parts);
}

NamedTensors TiledDecoderStream::state() const {
  if (grid_ == nullptr) return {};
  NamedTensors saved{{kSize, at::tensor({grid_->height(), grid_->width()}, at::kLong)}};
  for (size_t i = 0; i < tiles_.size(); ++i)
    for (const auto& [name, tensor] : tiles_[i]->state())
      saved.emplace_back(kTile + std::to_string(i) + "." + name, tensor);
  return saved;
}

void TiledDecoderStream::restore(const NamedTensors& saved) {
  grid_.reset();
  tiles_.clear();
  if (saved.empty()) return;
  SGF_CHECK(saved.front().first == kSize && saved.front().second.numel() == 2,
            "a saved stream of tiles must begin with its size, got {}", in_quotes(saved.front().first));
  const at::Tensor size = saved.front().second.cpu();
  begin(size[0].item<int64_t>(), size[1].item<int64_t>());
  std::vector<NamedTensors> each(tiles_.size());
  for (size_t i = 1; i < saved.size(); ++i) {
    std::string rest;
    const size_t tile = tile_number(saved[i].first, rest);
    SGF_CHECK(tile < each.size(),
              "the saved stream must have {} tiles, got tile {}; use the tile size it was saved with", each.size(),
              in_quotes(saved[i].first));
    each[tile].emplace_back(rest, saved[i].second);
  }
  for (size_t i = 0; i < tiles_.size(); ++i) tiles_[i]->restore(each[i]);
}

TiledEncoderStream::TiledEncoderStream(Make make, const TileSettings& settings, int64_t factor)
    : make_(std::move(make)), settings_(settings), factor_(factor) {
  settings_.validate();
}

at::Tensor TiledEncoderStream::next(const at::Tensor& pictures) {
  SGF_CHECK(pictures.dim() == 5 && pictures.size(3) % factor_ == 0 && pictures.size(4) % factor_ == 0,
            "frames must be [B, F, 3, H, W] with sides that are multiples of {}, got {} dimensions", factor_,
            pictures.dim());
  const int64_t height = pictures.size(3) / factor_, width = pictures.size(4) / factor_;
  if (grid_ == nullptr) {
    grid_ = std::make_unique<TileGrid>(height, width, settings_, 1);
    for (size_t i = 0; i < grid_->count(); ++i) tiles_.push_back(make_());
  }
  check_size(*grid_, height, width);
  std::vector<at::Tensor> parts;
  for (size_t i = 0; i < tiles_.size(); ++i) parts.push_back(tiles_[i]->next(grid_->part(pictures, i, factor_)));
  return grid_->blend(parts);
}

}  // namespace sgf
