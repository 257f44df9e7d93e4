#include "sgf/media/video_y4m.h"

#include "sgf/core/checked_size.h"
#include "sgf/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string_view>
#include <utility>

namespace sgf {
namespace {

constexpr std::string_view kFrameHead = "FRAME\n";
constexpr std::string_view kMarkTag = " XSGF=";
constexpr int kFixedBits = 16;
constexpr int64_t kLongestSide = 1 << 20;  // far beyond any video; keeps a frame's bytes within 64 bits

// A row of the matrix and its offset, in units of 2^-16, including rounding.
struct FixedRow {
  std::array<int64_t, 3> factors{};
  int64_t offset = 0;

  std::byte of(int64_t red, int64_t green, int64_t blue, int shift = kFixedBits) const {
    const int64_t half = int64_t{1} << (shift - 1);
    const int64_t sum = factors[0] * red + factors[1] * green + factors[2] * blue;
    return static_cast<std::byte>(((sum + half) >> shift) + offset);
  }
};

// BT.709: luma 16 to 235, chroma 128 +- 112.
constexpr double kRed = 0.2126, kBlue = 0.0722, kGreen = 1 - kRed - kBlue;

FixedRow fixed_row(double red, double green, double blue, double scale, int64_t offset) {
  const auto fixed = [&](double factor) { return std::llround(factor * scale / 255 * (1 << kFixedBits)); };
  return {{fixed(red), fixed(green), fixed(blue)}, offset};
}

const FixedRow kLuma = fixed_row(kRed, kGreen, kBlue, 219, 16);
const FixedRow kCb = fixed_row(-kRed, -kGreen, 1 - kBlue, 224 / (2 * (1 - kBlue)), 128);
const FixedRow kCr = fixed_row(1 - kRed, -kGreen, -kBlue, 224 / (2 * (1 - kRed)), 128);

// The sum of four pixels for each colour; the edge pixel repeats beyond the edge.
std::array<int64_t, 3> sum_of_four(const RgbImage& image, int64_t y, int64_t x) {
  const int64_t below = std::min(y + 1, image.height - 1), beside = std::min(x + 1, image.width - 1);
  std::array<int64_t, 3> sum{};
  for (const int64_t row : {y, below}) {
    for (const int64_t column : {x, beside}) {
      const uint8_t* pixel = image.pixels.data() + 3 * (row * image.width + column);
      for (size_t c = 0; c < 3; ++c) sum[c] += pixel[c];
    }
  }
  return sum;
}

std::string y4m_head(const Y4mSettings& settings) {
  const auto rate = std::llround(settings.fps * 1000);
  return fmt::format("YUV4MPEG2 W{} H{} F{}:1000 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED{}{}\n", settings.width,
                     settings.height, rate, settings.mark.empty() ? "" : kMarkTag, settings.mark);
}

// Bytes of one frame with its header.
int64_t y4m_picture_bytes(const Y4mSettings& settings) {
  const int64_t colours = (settings.width + 1) / 2 * ((settings.height + 1) / 2);
  return static_cast<int64_t>(kFrameHead.size()) + settings.width * settings.height + 2 * colours;
}

// nullopt if the size exceeds 64 bits.
std::optional<int64_t> y4m_bytes(const Y4mSettings& settings, int64_t pictures) {
  const std::optional<int64_t> body = checked_product({pictures, y4m_picture_bytes(settings)});
  return body ? checked_sum({static_cast<int64_t>(y4m_head(settings).size()), *body}) : std::nullopt;
}

void check_y4m(const Y4mSettings& settings, const std::filesystem::path& path) {
  SGF_CHECK(settings.width > 0 && settings.width <= kLongestSide && settings.height > 0 &&
                settings.height <= kLongestSide && settings.fps >= 0.001 && settings.fps <= 1000,
            "{}: a video of {} x {} at {} frames per second cannot be written", path.string(), settings.width,
            settings.height, settings.fps);
}

std::unique_ptr<VideoOutput> continue_y4m(const std::filesystem::path& path, const Y4mSettings& settings,
                                          int64_t pictures) {
  check_y4m(settings, path);
  const std::optional<int64_t> bytes = y4m_bytes(settings, pictures);
  std::error_code error;
  const auto there = std::filesystem::file_size(path, error);
  SGF_CHECK(!error, "{} cannot be continued: {}", path.string(), error.message());
  SGF_CHECK(bytes && static_cast<int64_t>(there) >= *bytes,
            "{} cannot be continued after {} frames: it has only {} bytes", path.string(), pictures, there);
  std::unique_ptr<ContinuedOutput> output = continue_video_output(path);
  output->write_text(y4m_head(settings));
  output->go_on_at(*bytes);
  return output;
}

}  // namespace

std::optional<int64_t> count_y4m_pictures(const std::filesystem::path& path, const Y4mSettings& settings) {
  if (!std::filesystem::is_regular_file(path)) return {};  // opening a pipe would wait for a writer
  const std::string head = y4m_head(settings);
  std::ifstream file(path, std::ios::binary);
  std::string there(head.size(), ' ');
  if (!file.read(there.data(), static_cast<std::streamsize>(there.size())) || there != head) return {};
  const auto body = static_cast<int64_t>(std::filesystem::file_size(path) - head.size());
  return body / y4m_picture_bytes(settings);
}

std::optional<std::string> read_y4m_mark(const std::filesystem::path& path) {
  constexpr size_t kLongestHead = 256;
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string head(kLongestHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const size_t end = head.find('\n'), mark = head.find(kMarkTag);
  if (!head.starts_with("YUV4MPEG2 ") || end == std::string::npos) return std::nullopt;
  if (mark == std::string::npos || mark > end) return "";
  const size_t begin = mark + kMarkTag.size();
  return head.substr(begin, head.find_first_of(" \n", begin) - begin);
}

std::vector<std::byte> to_yuv420(const RgbImage& image) {
  std::vector<std::byte> luma, cb, cr;
  luma.reserve(image.pixels.size() / 2 + 1);
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    luma.push_back(kLuma.of(image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]));
  }
  for (int64_t y = 0; y < image.height; y += 2) {
    for (int64_t x = 0; x < image.width; x += 2) {
      const auto [red, green, blue] = sum_of_four(image, y, x);
      cb.push_back(kCb.of(red, green, blue, kFixedBits + 2));
      cr.push_back(kCr.of(red, green, blue, kFixedBits + 2));
    }
  }
  luma.insert(luma.end(), cb.begin(), cb.end());
  luma.insert(luma.end(), cr.begin(), cr.end());
  return luma;
}

Y4mWriter::Y4mWriter(std::unique_ptr<VideoOutput> output, const Y4mSettings& settings)
    : settings_(settings), output_(std::move(output)) {
  check_y4m(settings, output_->path());
  output_->write_text(y4m_head(settings));
}

Y4mWriter::Y4mWriter(const std::filesystem::path& path, const Y4mSettings& settings, int64_t pictures)
    : settings_(settings), output_(continue_y4m(path, settings, pictures)), pictures_(pictures) {}

void Y4mWriter::add(const RgbImage& frame) {
  SGF_CHECK(frame.width == settings_.width && frame.height == settings_.height,
            "{}: frames of this video must be {} x {}, got {} x {}", output_->path().string(), settings_.width,
            settings_.height, frame.width, frame.height);
  output_->write_text(kFrameHead);
  output_->write(to_yuv420(frame));
  ++pictures_;
}

int64_t Y4mWriter::sync() {
  output_->sync();
  return output_->size();
}

void Y4mWriter::finish() { output_->finish(); }

}  // namespace sgf
