#include "sgf/media/video_mp4.h"

#include "sgf/media/video_fragments.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

namespace sgf {
namespace {

constexpr int kMp4Buffer = 1 << 16;
// No trailer: it would index every fragment and keep that index in memory for as long as the stream runs.
constexpr const char* kInPlaceFlags = "frag_keyframe+empty_moov+default_base_moof+skip_trailer";

#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WrittenBytes = const uint8_t;
#else
using WrittenBytes = uint8_t;
#endif

// The state of the file at this place. A file that is shorter, or was synced at other points, is refused.
GrownVideo check_place(const std::filesystem::path& path, const SinkPlace& place) {
  const GrownVideo there = scan_grown_video(path, place.bytes);
  SGF_CHECK(there.bytes == place.bytes && there.pictures == place.pictures,
            "{} cannot be continued after {} frames in {} bytes: up to there it has {} in {}", path.string(),
            place.pictures, place.bytes, there.pictures, there.bytes);
  return there;
}

}  // namespace

// FFmpeg must not see an exception, so it is kept until FFmpeg has returned. When growing in place the bytes are kept
// too: a fragment is written to the file in one piece, so that after a kill it is there or not.
struct Mp4Callbacks {
  static int write(void* self, WrittenBytes* bytes, int count) {
    auto& file = *static_cast<Mp4File*>(self);
    const std::span<const std::byte> came(reinterpret_cast<const std::byte*>(bytes), static_cast<size_t>(count));
    try {
      if (file.in_place_) {
        file.written_.insert(file.written_.end(), came.begin(), came.end());
      } else if (!file.failure_) {
        file.output_->write(came);
      }
    } catch (...) {
      file.failure_ = std::current_exception();
    }
    return file.failure_ ? AVERROR(EIO) : count;
  }

  static int64_t seek(void* self, int64_t offset, int whence) {
    VideoOutput& output = *static_cast<Mp4File*>(self)->output_;
    if (whence == AVSEEK_SIZE) return output.size();
    return whence == SEEK_SET && output.seek(offset) ? offset : AVERROR(EINVAL);
  }
};

void Mp4File::FreeMuxer::operator()(AVFormatContext* context) const {
  if (context->pb != nullptr) av_freep(&context->pb->buffer);
  avio_context_free(&context->pb);
  avformat_free_context(context);
}

Mp4File::Mp4File(const std::filesystem::path& path, const AVCodecContext& encoder, const VideoFileSettings& settings,
                 const std::optional<SinkPlace>& from)
    : in_place_(settings.growth == VideoGrowth::kInPlace) {
  const int64_t first_fragment = from ? check_place(path, *from).last_fragment + 1 : 1;
  std::unique_ptr<ContinuedOutput> continued = from ? continue_video_output(path) : nullptr;
  ContinuedOutput* taken_up = continued.get();
  output_ = from ? std::move(continued) : open_video_output(path, in_place_);
  open_muxer();
  if (in_place_) context_->pb->seekable = 0;
  if (!settings.note.empty()) av_dict_set(&context_->metadata, "comment", settings.note.c_str(), 0);
  stream_ = avformat_new_stream(context_.get(), nullptr);
  stream_->time_base = encoder.time_base;
  stream_->avg_frame_rate = encoder.framerate;
  avcodec_parameters_from_context(stream_->codecpar, &encoder);
  require(write_header(first_fragment));
  pass_on();
  if (taken_up != nullptr) taken_up->go_on_at(from->bytes);
}

void Mp4File::open_muxer() {
  AVFormatContext* context = nullptr;
  avformat_alloc_output_context2(&context, nullptr, "mp4", nullptr);
  SGF_CHECK(context != nullptr, "{}: this FFmpeg cannot write mp4 files", output_->path().string());
  context_.reset(context);
  auto* buffer = static_cast<unsigned char*>(av_malloc(kMp4Buffer));
  context_->pb = avio_alloc_context(buffer, kMp4Buffer, 1, this, nullptr, &Mp4Callbacks::write, &Mp4Callbacks::seek);
  context_->flags |= AVFMT_FLAG_FLUSH_PACKETS | AVFMT_FLAG_BITEXACT;  // bitexact: no version, no date
}

int Mp4File::write_header(int64_t first_fragment) {
  AVDictionary* options = nullptr;
  if (in_place_) {
    // A continued file keeps its own time: `frag_discont` lets the first frame start late without shifting it.
    const std::string flags = std::string(kInPlaceFlags) + (first_fragment > 1 ? "+frag_discont" : "");
    av_dict_set(&options, "movflags", flags.c_str(), 0);
    av_dict_set_int(&options, "fragment_index", first_fragment, 0);
    context_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_MAKE_NON_NEGATIVE;
  }
  const int code = avformat_write_header(context_.get(), &options);
  av_dict_free(&options);
  return code;
}

void Mp4File::add(AVPacket& packet, AVRational time_base) {
  av_packet_rescale_ts(&packet, time_base, stream_->time_base);
  packet.stream_index = 0;
  require(av_write_frame(context_.get(), &packet));
  pass_on();
}

int64_t Mp4File::end_fragment() {
  require(av_write_frame(context_.get(), nullptr));
  pass_on();
  output_->sync();
  return output_->size();
}

void Mp4File::finish() {
  require(av_write_trailer(context_.get()));
  pass_on();
  output_->finish();
}

void Mp4File::pass_on() {
  avio_flush(context_->pb);
  require(0);
  output_->write(written_);
  written_.clear();
}

void Mp4File::require(int code) {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  SGF_CHECK(code >= 0, "{}: the video cannot be written: {}", output_->path().string(), ffmpeg_text(code));
}

}  // namespace sgf
