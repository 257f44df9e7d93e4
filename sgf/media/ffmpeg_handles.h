// RAII owners for FFmpeg's objects, and its error codes as text. Only the video files include it.
#pragma once

#include "sgf/core/error.h"

#include <memory>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>
}

namespace sgf {

struct FreeFfmpeg {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

template <class T>
using FfmpegOwner = std::unique_ptr<T, FreeFfmpeg>;

inline std::string ffmpeg_text(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof(text));
  return text;
}

// Silences FFmpeg's own output to stderr; errors are reported through sgf::Error.
inline void silence_ffmpeg() { av_log_set_level(AV_LOG_QUIET); }

// Conversion between RGB and YUV of one size, with the given matrix and range on the YUV side, rounded to nearest.
struct PixelFormats {
  AVPixelFormat from;
  AVPixelFormat to;
  const int* matrix;  // sws_getCoefficients
  bool is_full_range = false;
  int flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
};

inline FfmpegOwner<SwsContext> make_scaler(int width, int height, const PixelFormats& formats) {
  FfmpegOwner<SwsContext> scaler(
      sws_getContext(width, height, formats.from, width, height, formats.to, formats.flags, nullptr, nullptr, nullptr));
  SGF_CHECK(scaler != nullptr, "FFmpeg cannot convert frames of {} x {} to or from RGB", width, height);
  const int* matrix = formats.matrix;
  const bool to_rgb = formats.to == AV_PIX_FMT_RGB24;
  sws_setColorspaceDetails(scaler.get(), matrix, to_rgb ? formats.is_full_range : 1, matrix,
                           to_rgb ? 1 : formats.is_full_range, 0, 1 << 16, 1 << 16);
  return scaler;
}

}  // namespace sgf
