// Raw video, as far as it is read: whether a file has our head, and how many pictures are whole.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/media/video_y4m.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  const auto path = scratch_file("outside.y4m", input);
  for (const double fps : {16.0, 23.976}) {
    const auto pictures = count_y4m_pictures(path, {.width = 3, .height = 2, .fps = fps});
    must(!pictures || (*pictures >= 0 && *pictures <= static_cast<int64_t>(input.size())),
         "a file holds no more pictures than bytes");
  }
  const auto mark = read_y4m_mark(path);
  must(!mark || mark->find_first_of(" \n") == std::string::npos, "a mark is one word");
}

const Registered target("y4m", read);

}  // namespace
}  // namespace sgf::fuzz
