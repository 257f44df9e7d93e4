// Stands in for record_launches_cuda.cpp in a build without CUDA, where no device asks for it.
#include "sgf/core/error.h"
#include "sgf/kernels/record_launches.h"

namespace sgf {

struct SideStream::Handle {};

SideStream::SideStream(c10::Device device) {
  fail("kernels", "launches on {} cannot be recorded: this build has no CUDA", device.str());
}
SideStream::~SideStream() = default;
void SideStream::run(const std::function<void()>&) const {}
std::unique_ptr<LaunchRecording> SideStream::record(const std::function<void()>&) const { return nullptr; }

}  // namespace sgf
