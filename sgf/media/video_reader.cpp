#include "sgf/media/video_reader.h"

#include "sgf/core/out_of_memory.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/ffmpeg_handles.h"
#include "sgf/media/video_fragments.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {
namespace {

constexpr int64_t kMostPixels = 8192 * 8192;  // limits the memory that a damaged header can request
// Containers only: no playlists, no image patterns, nothing that opens other files.
constexpr const char* kContainers = "mov,mp4,matroska,webm,avi,mpegts,yuv4mpegpipe,gif";

// FFmpeg's name for the file, or for its complete fragments: FFmpeg refuses some files that are cut within a fragment.
std::string readable_part(const std::filesystem::path& path) {
  const auto bytes = static_cast<int64_t>(MappedFile::open(path)->bytes().size());
  SGF_CHECK(bytes > 0, "{} is empty, expected a video", path.string());
  const std::optional<GrownVideo> grown = find_grown_video(path);
  const bool is_cut = grown && grown->last_fragment > 0 && grown->bytes < bytes;
  if (!is_cut) return "file:" + path.string();
  return fmt::format("subfile,,start,0,end,{},,:file:{}", grown->bytes, path.string());
}

FfmpegOwner<AVFormatContext> open_container(const std::filesystem::path& path) {
  const std::string name = readable_part(path);
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "file,subfile", 0);
  av_dict_set(&options, "format_whitelist", kContainers, 0);
  AVFormatContext* context = nullptr;
  const int code = avformat_open_input(&context, name.c_str(), nullptr, &options);
  av_dict_free(&options);
  SGF_CHECK(code >= 0, "{} is not a readable video file, or is cut off: {}", path.string(), ffmpeg_text(code));
  return FfmpegOwner<AVFormatContext>(context);
}

const int* matrix_of(const AVFrame& frame, ColourReading reading) {
  switch (frame.colorspace) {
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      return sws_getCoefficients(SWS_CS_ITU601);
    case AVCOL_SPC_SMPTE240M:
      return sws_getCoefficients(SWS_CS_SMPTE240M);
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return sws_getCoefficients(SWS_CS_BT2020);
    case AVCOL_SPC_BT709:
      return sws_getCoefficients(SWS_CS_ITU709);
    default:
      return sws_getCoefficients(reading == ColourReading::kFine ? SWS_CS_ITU709 : SWS_CS_ITU601);
  }
}

}  // namespace

class VideoReader::Decoder {
 public:
  Decoder(const std::filesystem::path& path, ColourReading reading)
      : path_(path),
        reading_(reading),
        format_(open_container(path)),
        frame_(av_frame_alloc()),
        packet_(av_packet_alloc()) {
    find_streams();
    const AVCodec* codec = nullptr;
    stream_ = av_find_best_stream(format_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    SGF_CHECK(stream_ >= 0 && codec != nullptr, "{} contains no video that this FFmpeg can decode, or is cut off",
              path.string());
    check_all_is_there();
    context_.reset(avcodec_alloc_context3(codec));
    require(avcodec_parameters_to_context(context_.get(), stream().codecpar));
    context_->max_pixels = kMostPixels;
    context_->thread_count = 1;  // one frame at a time: threads would read ahead
    require(avcodec_open2(context_.get(), codec, nullptr));
    waiting_ = decode();
    SGF_CHECK(waiting_, "{} contains no frames: the video is empty or cut off before the first one", path.string());
    width_ = frame_->width;
    height_ = frame_->height;
  }

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }

  std::optional<double> fps() const {
    const AVRational rate = stream().avg_frame_rate.num > 0 ? stream().avg_frame_rate : stream().r_frame_rate;
    return rate.num > 0 && rate.den > 0 ? std::optional(av_q2d(rate)) : std::nullopt;
  }

  std::optional<int64_t> frame_count() const {
    return stream().nb_frames > 0 ? std::optional(stream().nb_frames) : std::nullopt;
  }

  // Returns whether there is another frame, and puts it in `frame_`.
  bool advance() {
    if (!std::exchange(waiting_, false) && !decode()) return false;
    SGF_CHECK(frame_->width == width_ && frame_->height == height_, "{}: frame {} is {} x {}, but the first is {} x {}",
              path_.string(), count_, frame_->width, frame_->height, width_, height_);
    if (count_++ == 0) first_stamp_ = frame_->best_effort_timestamp;
    stamp_ = frame_->best_effort_timestamp;
    return true;
  }

  std::optional<RgbImage> next() try {
    return advance() ? std::optional(to_rgb()) : std::nullopt;
  } catch (const std::bad_alloc& error) {
    rethrow_out_of_memory(error, "reading " + path_.string());
  }

  std::optional<double> time() const {
    if (stamp_ == AV_NOPTS_VALUE || first_stamp_ == AV_NOPTS_VALUE) return std::nullopt;
    return (static_cast<double>(stamp_) - static_cast<double>(first_stamp_)) * av_q2d(stream().time_base);
  }

 private:
  const AVStream& stream() const { return *format_->streams[stream_]; }

  // FFmpeg decodes a first frame of each stream here, in contexts of its own: the limit on the area must reach them, or
  // a kilobyte of PNG in a container takes gigabytes.
  void find_streams() {
    const unsigned int count = format_->nb_streams;
    std::vector<AVDictionary*> options(count, nullptr);
    for (AVDictionary*& one : options) {
      av_dict_set_int(&one, "max_pixels", kMostPixels, 0);
      av_dict_set_int(&one, "threads", 1, 0);
    }
    const int result = avformat_find_stream_info(format_.get(), options.empty() ? nullptr : options.data());
    for (AVDictionary*& one : options) av_dict_free(&one);
    require(result);
  }

  bool is_mp4() const { return std::string_view(format_->iformat->name).starts_with("mov"); }

  // An mp4 with its index in front can be cut off anywhere, and FFmpeg then silently plays what is left.
  void check_all_is_there() const {
    if (!is_mp4()) return;  // other containers have no index of all frames
    const int64_t bytes = avio_size(format_->pb);
    AVStream* stream = format_->streams[stream_];
    for (int i = 0; bytes > 0 && i < avformat_index_get_entries_count(stream); ++i) {
      const AVIndexEntry* entry = avformat_index_get_entry(stream, i);
      SGF_CHECK(entry->pos + entry->size <= bytes,
                "{} is cut off: it has {} bytes, and frame {} of {} lies beyond them", path_.string(), bytes, i,
                avformat_index_get_entries_count(stream));
    }
  }

  void require(int code) const {
    SGF_CHECK(code >= 0, "{}: the video is damaged after {} frames: {}", path_.string(), count_, ffmpeg_text(code));
  }

  // Returns whether `frame_` now holds another frame.
  bool decode() {
    for (;;) {
      const int code = avcodec_receive_frame(context_.get(), frame_.get());
      if (code == AVERROR_EOF) return false;
      if (code == AVERROR(EAGAIN)) {
        feed();
        continue;
      }
      require(code);
      const bool is_damaged = frame_->decode_error_flags != 0 || (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0;
      require(is_damaged ? AVERROR_INVALIDDATA : 0);
      return true;
    }
  }

  // Sends the next packet to the decoder. After the last packet, or where an mp4 that grew in place was cut off, it
  // signals the end.
  void feed() {
    int code = 0;
    do {
      av_packet_unref(packet_.get());
      code = av_read_frame(format_.get(), packet_.get());
      if (code >= 0) note_packet();
    } while (code >= 0 && packet_->stream_index != stream_);
    const bool is_corrupt = code >= 0 && (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0;
    if (code == AVERROR_EOF || (is_corrupt && is_mp4())) {
      check_end_is_there();
      require(avcodec_send_packet(context_.get(), nullptr));
      return;
    }
    require(is_corrupt ? AVERROR_INVALIDDATA : code);
    require(avcodec_send_packet(context_.get(), packet_.get()));
  }

  void note_packet() {
    const int64_t begin = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
    if (begin != AV_NOPTS_VALUE)
      end_seconds_ = std::max(end_seconds_, static_cast<double>(begin + packet_->duration) *
                                                av_q2d(format_->streams[packet_->stream_index]->time_base));
    if (format_->pb != nullptr) end_bytes_ = avio_tell(format_->pb);
  }

  // Containers other than mp4 are read up to where they are cut off. The duration in the header, if any, reveals that.
  void check_end_is_there() const {
    if (is_mp4()) return;
    const bool is_named = format_->duration > 0 && format_->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
    const double named = static_cast<double>(format_->duration) / AV_TIME_BASE;
    const double slack = std::max(0.5, 2 / fps().value_or(24));  // audio streams end a little later or earlier
    SGF_CHECK(!is_named || end_seconds_ + slack >= named,
              "{} is cut off: it should be {:.1f} s long and ends after {:.1f} s", path_.string(), named, end_seconds_);
    const bool is_y4m = std::string_view(format_->iformat->name) == "yuv4mpegpipe";
    SGF_CHECK(!is_y4m || end_bytes_ == avio_size(format_->pb), "{} is cut off within a frame, after {} complete frames",
              path_.string(), count_);
  }

  RgbImage to_rgb() {
    const auto format = static_cast<AVPixelFormat>(frame_->format);
    if (scaler_ == nullptr || format != scaled_format_) {
      const bool full = frame_->color_range == AVCOL_RANGE_JPEG;
      PixelFormats formats{format, AV_PIX_FMT_RGB24, matrix_of(*frame_, reading_), full};
      if (reading_ == ColourReading::kUsual) formats.flags = SWS_BICUBIC | SWS_ACCURATE_RND;
      scaler_ = make_scaler(frame_->width, frame_->height, formats);
      scaled_format_ = format;
    }
    RgbImage image{height_, width_, std::vector<uint8_t>(static_cast<size_t>(3 * height_ * width_))};
    uint8_t* rows[] = {image.pixels.data()};
    const int strides[] = {static_cast<int>(3 * width_)};
    sws_scale(scaler_.get(), frame_->data, frame_->linesize, 0, frame_->height, rows, strides);
    return image;
  }

  std::filesystem::path path_;
  ColourReading reading_;
  FfmpegOwner<AVFormatContext> format_;
  int stream_ = 0;
  FfmpegOwner<AVCodecContext> context_;
  FfmpegOwner<AVFrame> frame_;
  FfmpegOwner<AVPacket> packet_;
  FfmpegOwner<SwsContext> scaler_;
  AVPixelFormat scaled_format_ = AV_PIX_FMT_NONE;
  double end_seconds_ = 0;  // of all packets so far, including audio
  int64_t end_bytes_ = 0;   // where the last packet ended in the file
  bool waiting_ = false;    // `frame_` holds a frame that next() has not returned yet
  int64_t width_ = 0;
  int64_t height_ = 0;
  int64_t count_ = 0;                                              // returned or skipped
  int64_t first_stamp_ = AV_NOPTS_VALUE, stamp_ = AV_NOPTS_VALUE;  // of the first frame and the last returned
};

VideoReader::VideoReader(const std::filesystem::path& path, ColourReading reading) {
  silence_ffmpeg();
  decoder_ = std::make_unique<Decoder>(path, reading);
}
VideoReader::~VideoReader() = default;

int64_t VideoReader::width() const { return decoder_->width(); }
int64_t VideoReader::height() const { return decoder_->height(); }
std::optional<double> VideoReader::fps() const { return decoder_->fps(); }
std::optional<int64_t> VideoReader::frame_count() const { return decoder_->frame_count(); }
std::optional<RgbImage> VideoReader::next() { return decoder_->next(); }
std::optional<double> VideoReader::time() const { return decoder_->time(); }
bool VideoReader::skip() { return decoder_->advance(); }

bool can_read_videos() { return true; }

std::optional<std::string> read_video_note(const std::filesystem::path& path) {
  silence_ffmpeg();
  const FfmpegOwner<AVFormatContext> format = open_container(path);
  const AVDictionaryEntry* note = av_dict_get(format->metadata, "comment", nullptr, 0);
  return note != nullptr ? std::optional<std::string>(note->value) : std::nullopt;
}

}  // namespace sgf
