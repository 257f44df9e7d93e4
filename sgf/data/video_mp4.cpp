#include "sgf/data/video_mp4.h"

#include <cerrno>
#include <cstdio>
#include <utility>

namespace sgf {
namespace {

constexpr int kMp4Buffer = 1 << 16;

#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WrittenBytes = const uint8_t;
#else
using WrittenBytes = uint8_t;
#endif

}  // namespace

// FFmpeg must not see an exception: it waits until FFmpeg has returned.
struct Mp4Callbacks {
  static int write(void* self, WrittenBytes* bytes, int count) {
    auto& file = *static_cast<Mp4File*>(self);
    try {
      if (!file.failure_) file.output_->write({reinterpret_cast<const std::byte*>(bytes), static_cast<size_t>(count)});
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

Mp4File::Mp4File(const std::filesystem::path& path, const AVCodecContext& encoder, bool in_place)
    : output_(open_video_output(path, in_place)) {
  avformat_alloc_output_context2(&context_, nullptr, "mp4", nullptr);
  check(context_ != nullptr, "data", "{}: this FFmpeg writes no mp4 files", path.string());
  auto* buffer = static_cast<unsigned char*>(av_malloc(kMp4Buffer));
  context_->pb = avio_alloc_context(buffer, kMp4Buffer, 1, this, nullptr, &Mp4Callbacks::write, &Mp4Callbacks::seek);
  if (in_place) context_->pb->seekable = 0;
  context_->flags |= AVFMT_FLAG_FLUSH_PACKETS | AVFMT_FLAG_BITEXACT;  // bitexact: no version, no date
  stream_ = avformat_new_stream(context_, nullptr);
  stream_->time_base = encoder.time_base;
  stream_->avg_frame_rate = encoder.framerate;
  avcodec_parameters_from_context(stream_->codecpar, &encoder);
  const int code = write_header(in_place);
  if (code < 0) close();
  require(code);
}

Mp4File::~Mp4File() { close(); }

int Mp4File::write_header(bool in_place) {
  AVDictionary* options = nullptr;
  if (in_place) av_dict_set(&options, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0);
  const int code = avformat_write_header(context_, &options);
  av_dict_free(&options);
  return code;
}

void Mp4File::add(AVPacket& packet, AVRational time_base) {
  av_packet_rescale_ts(&packet, time_base, stream_->time_base);
  packet.stream_index = 0;
  require(av_interleaved_write_frame(context_, &packet));
}

void Mp4File::finish() {
  require(av_write_trailer(context_));
  avio_flush(context_->pb);
  require(0);
  output_->finish();
}

void Mp4File::require(int code) {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  check(code >= 0, "data", "{}: the video cannot be written: {}", output_->path().string(), ffmpeg_text(code));
}

void Mp4File::close() {
  if (context_ == nullptr) return;
  av_freep(&context_->pb->buffer);
  avio_context_free(&context_->pb);
  avformat_free_context(std::exchange(context_, nullptr));
}

}  // namespace sgf
