#include "sgf/media/video_writer.h"

#include "sgf/core/in_quotes.h"
#include "sgf/media/ffmpeg_handles.h"
#include "sgf/media/video_mp4.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/opt.h>
}

namespace sgf {
namespace {

constexpr int64_t kSmallPicture = 256 * 256;  // up to this size threads cost more than they gain
// An encoder's output depends on its thread count: a fixed count makes the same file on every machine.
constexpr int kThreads = 4;

void check_settings(const std::filesystem::path& path, const VideoFileSettings& settings) {
  SGF_CHECK(settings.width > 0 && settings.height > 0 && settings.width <= kLongestVideoSide &&
                settings.height <= kLongestVideoSide,
            "{}: width and height of a video must be 2 to {}, got {} x {}", path.string(), kLongestVideoSide,
            settings.width, settings.height);
  SGF_CHECK(settings.width % 2 == 0 && settings.height % 2 == 0,
            "{}: H.264 in 4:2:0 needs an even width and height, got {} x {}; write PNG files for odd sizes",
            path.string(), settings.width, settings.height);
  SGF_CHECK(settings.fps > 0 && settings.fps <= 1000, "{}: frames per second must be in (0, 1000], got {}",
            path.string(), settings.fps);
  SGF_CHECK(0 <= settings.crf && settings.crf <= 51, "{}: crf must be 0 to 51, got {}", path.string(), settings.crf);
  SGF_CHECK(settings.note.find('\0') == std::string::npos, "{}: a note cannot contain a zero byte", path.string());
}

// In the order in which they are tried.
std::vector<const AVCodec*> encoders_to_try(const std::string& named) {
  if (!named.empty()) {
    const AVCodec* codec = avcodec_find_encoder_by_name(named.c_str());
    SGF_CHECK(codec != nullptr, "this FFmpeg has no encoder {}; use libx264 or mpeg4", in_quotes(named));
    return {codec};
  }
  return {avcodec_find_encoder_by_name("libx264"), avcodec_find_encoder_by_name("libopenh264"),
          avcodec_find_encoder(AV_CODEC_ID_H264), avcodec_find_encoder(AV_CODEC_ID_MPEG4)};
}

void set_own_coding(AVCodecContext& context, const VideoFileSettings& settings) {
  context.gop_size = static_cast<int>(std::lround(std::max(1.0, settings.fps)));
  context.color_primaries = AVCOL_PRI_BT709;
  context.color_trc = AVCOL_TRC_BT709;
  context.colorspace = AVCOL_SPC_BT709;
  context.color_range = AVCOL_RANGE_MPEG;
  context.chroma_sample_location = AVCHROMA_LOC_CENTER;  // matches swscale's averaging
}

FfmpegOwner<AVCodecContext> make_context(const AVCodec* codec, const VideoFileSettings& settings) {
  FfmpegOwner<AVCodecContext> context(avcodec_alloc_context3(codec));
  context->width = static_cast<int>(settings.width);
  context->height = static_cast<int>(settings.height);
  context->pix_fmt = AV_PIX_FMT_YUV420P;
  context->framerate = av_d2q(settings.fps, 60000);  // mpeg4 accepts no time base finer than 1/65535 s
  context->time_base = av_inv_q(context->framerate);
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (settings.coding == VideoCoding::kOwn) set_own_coding(*context, settings);
  if (settings.coding == VideoCoding::kOwn || settings.growth == VideoGrowth::kInPlace) {
    context->max_b_frames = 0;
    context->thread_count = kThreads;
  }
  if (settings.width * settings.height <= kSmallPicture) context->thread_count = 1;
  return context;
}

// libx264 by its rate factor; other encoders by a fixed quantiser or, if they have none, a generous bit rate.
void set_quality(AVCodecContext& context, const VideoFileSettings& settings) {
  if (std::strcmp(context.codec->name, "libx264") == 0) {
    if (settings.coding == VideoCoding::kOwn) av_opt_set_int(context.priv_data, "crf", settings.crf, 0);
    // A live file must not hold back frames for lookahead.
    if (settings.growth == VideoGrowth::kInPlace) av_opt_set(context.priv_data, "tune", "zerolatency", 0);
    return;
  }
  context.flags |= AV_CODEC_FLAG_QSCALE;
  context.global_quality = FF_QP2LAMBDA * 2;
  context.bit_rate = static_cast<int64_t>(static_cast<double>(settings.width * settings.height) * settings.fps);
}

FfmpegOwner<AVCodecContext> open_encoder(const std::filesystem::path& path, const VideoFileSettings& settings) {
  for (const AVCodec* codec : encoders_to_try(settings.encoder)) {
    if (codec == nullptr) continue;
    FfmpegOwner<AVCodecContext> context = make_context(codec, settings);
    set_quality(*context, settings);
    if (avcodec_open2(context.get(), codec, nullptr) >= 0) return context;
  }
  fail("{}: this FFmpeg has no encoder for {} x {} at {} frames per second; tried {}", path.string(), settings.width,
       settings.height, settings.fps, settings.encoder.empty() ? "libx264, other H.264 and mpeg4" : settings.encoder);
}

PixelFormats written_formats(VideoCoding coding) {
  if (coding == VideoCoding::kOwn) return {AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV420P, sws_getCoefficients(SWS_CS_ITU709)};
  return {AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV420P, sws_getCoefficients(SWS_CS_ITU601), false, SWS_BILINEAR};
}

FfmpegOwner<AVFrame> make_frame(const AVCodecContext& context) {
  FfmpegOwner<AVFrame> frame(av_frame_alloc());
  frame->format = context.pix_fmt;
  frame->width = context.width;
  frame->height = context.height;
  frame->color_range = context.color_range;
  frame->colorspace = context.colorspace;
  SGF_CHECK(av_frame_get_buffer(frame.get(), 0) >= 0, "out of memory for a frame of {} x {}", context.width,
            context.height);
  return frame;
}

}  // namespace

class VideoWriter::Encoder {
 public:
  Encoder(const std::filesystem::path& path, const VideoFileSettings& settings, const std::optional<SinkPlace>& from)
      : path_(path),
        settings_(settings),
        context_(open_encoder(path, settings)),
        is_h264_(context_->codec_id == AV_CODEC_ID_H264),
        frame_(make_frame(*context_)),
        packet_(av_packet_alloc()),
        to_yuv_(make_scaler(context_->width, context_->height, written_formats(settings.coding))),
        time_base_(context_->time_base),
        file_(path, *context_, settings, from),
        count_(from ? from->pictures : 0),
        encoder_begin_(count_) {
    settings_.encoder = context_->codec->name;  // later encoders of this file are the same
  }

  void add(const RgbImage& image) {
    SGF_CHECK(!finished_, "{}: a frame was added after the video was finished", path_.string());
    SGF_CHECK(image.width == settings_.width && image.height == settings_.height &&
                  static_cast<int64_t>(image.pixels.size()) == 3 * image.width * image.height,
              "{}: frames of this video must be {} x {}, got {} x {} in {} bytes", path_.string(), settings_.width,
              settings_.height, image.width, image.height, image.pixels.size());
    if (context_ == nullptr) context_ = open_encoder(path_, settings_);
    require(av_frame_make_writable(frame_.get()));
    const uint8_t* rows[] = {image.pixels.data()};
    const int strides[] = {3 * context_->width};
    sws_scale(to_yuv_.get(), rows, strides, 0, context_->height, frame_->data, frame_->linesize);
    frame_->pts = count_++ - encoder_begin_;
    send(frame_.get());
  }

  SinkPlace sync() {
    SGF_CHECK(settings_.growth == VideoGrowth::kInPlace, "{}: only a file that grows in place can be synced",
              path_.string());
    SGF_CHECK(!finished_, "{}: synced after the video was finished", path_.string());
    end_encoder();
    return {.pictures = count_, .bytes = file_.end_fragment()};
  }

  void finish() {
    SGF_CHECK(count_ > 0, "{}: a video needs at least one frame, got none", path_.string());
    SGF_CHECK(!std::exchange(finished_, true), "{}: finished twice", path_.string());
    end_encoder();
    file_.finish();
  }

  const std::string& name() const { return settings_.encoder; }
  bool is_h264() const { return is_h264_; }

 private:
  void require(int code) const {
    SGF_CHECK(code >= 0, "{}: frame {} cannot be encoded: {}", path_.string(), count_, ffmpeg_text(code));
  }

  // Writes out what the encoder holds back. An encoder remembers earlier frames, also for its rate control. A new
  // encoder makes the same bytes whether or not the process was restarted too.
  void end_encoder() {
    if (count_ == encoder_begin_) return;
    send(nullptr);
    context_.reset();
    encoder_begin_ = count_;
  }

  void send(const AVFrame* frame) {
    require(avcodec_send_frame(context_.get(), frame));
    for (;;) {
      const int code = avcodec_receive_packet(context_.get(), packet_.get());
      if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
      require(code);
      if (packet_->duration == 0) packet_->duration = 1;
      packet_->pts += encoder_begin_;
      packet_->dts += encoder_begin_;
      file_.add(*packet_, time_base_);
    }
  }

  std::filesystem::path path_;
  VideoFileSettings settings_;
  FfmpegOwner<AVCodecContext> context_;  // empty after a sync, until the next frame
  bool is_h264_;
  FfmpegOwner<AVFrame> frame_;
  FfmpegOwner<AVPacket> packet_;
  FfmpegOwner<SwsContext> to_yuv_;
  AVRational time_base_;
  Mp4File file_;
  int64_t count_;
  int64_t encoder_begin_;  // the first frame of this encoder
  bool finished_ = false;
};

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings) {
  check_settings(path, settings);
  silence_ffmpeg();
  encoder_ = std::make_unique<Encoder>(path, settings, std::nullopt);
}
VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoFileSettings& settings, const SinkPlace& from) {
  check_settings(path, settings);
  SGF_CHECK(settings.growth == VideoGrowth::kInPlace, "{}: only a file that grows in place can be continued",
            path.string());
  silence_ffmpeg();
  encoder_ = std::make_unique<Encoder>(path, settings, from);
}
VideoWriter::~VideoWriter() = default;

void VideoWriter::add(const RgbImage& frame) { encoder_->add(frame); }
SinkPlace VideoWriter::sync() { return encoder_->sync(); }
void VideoWriter::finish() { encoder_->finish(); }
const std::string& VideoWriter::encoder() const { return encoder_->name(); }
bool VideoWriter::is_h264() const { return encoder_->is_h264(); }

bool can_write_videos() { return true; }

std::string video_component() {
  const bool has_x264 = avcodec_find_encoder_by_name("libx264") != nullptr;
  const unsigned version = avcodec_version();
  return fmt::format("FFmpeg (libavcodec {}.{}, {})", AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version),
                     has_x264 ? "libx264" : "without libx264");
}

}  // namespace sgf
