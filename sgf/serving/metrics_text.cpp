#include "sgf/serving/metrics_text.h"

#include "sgf/core/device_memory.h"

#include <fmt/format.h>

namespace sgf {
namespace {

class Lines {
 public:
  void head(const std::string& name, const std::string& type, const std::string& help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class T>
  void add(const std::string& name, T value, const std::string& labels = "") {
    text_ += fmt::format("{}{} {}\n", name, labels, value);
  }
  template <class T>
  void one(const std::string& name, const std::string& type, const std::string& help, T value) {
    head(name, type, help);
    add(name, value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string metrics_text(const StreamEngine::Totals& e, const HttpCounts& http, size_t listeners) {
  Lines lines;
  lines.one("sgf_blocks_total", "counter", "Blocks made and stored.", e.blocks);
  lines.one("sgf_frames_total", "counter", "Frames made and stored.", e.pictures);
  lines.one("sgf_stream_failures_total", "counter", "Streams that failed.", e.failures);
  lines.head("sgf_streams", "gauge", "Streams by state.");
  lines.add("sgf_streams", e.running, "{state=\"running\"}");
  lines.add("sgf_streams", e.queued, "{state=\"queued\"}");
  lines.one("sgf_streams_loaded", "gauge", "Streams that hold memory of the network.", e.loaded);
  lines.one("sgf_snapshot_bytes", "gauge", "States of streams in memory.", e.snapshot_bytes);
  lines.one("sgf_disk_bytes", "gauge", "Videos and states on disk.", e.disk_bytes);
  lines.one("sgf_resident_bytes_peak", "gauge", "Peak resident memory of the process.",
            peak_memory_bytes(c10::Device("cpu")));
  lines.one("sgf_http_open_connections", "gauge", "Open connections.", http.open_connections);
  lines.one("sgf_http_connections_total", "counter", "Accepted connections.", http.connections);
  lines.one("sgf_http_rejected_total", "counter", "Connections over a limit.", http.rejected_connections);
  lines.one("sgf_http_dropped_total", "counter", "Clients that were too slow.", http.dropped_clients);
  lines.one("sgf_http_bad_requests_total", "counter", "Requests that could not be read.", http.bad_requests);
  lines.head("sgf_http_responses_total", "counter", "Responses by class of status.");
  for (size_t i = 0; i < http.responses.size(); ++i)
    lines.add("sgf_http_responses_total", http.responses[i], fmt::format("{{class=\"{}xx\"}}", i + 1));
  lines.one("sgf_event_listeners", "gauge", "Clients that listen to events.", listeners);
  return lines.text();
}

}  // namespace sgf
