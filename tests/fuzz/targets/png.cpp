// PNG files of others; what is read is written and read again.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/data/png.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.png";

void read(std::string_view input) {
  const auto image = read_or_refuse(kName, [&] { return read_png(scratch_file(kName, input)); });
  if (!image) return;
  must(image->width > 0 && image->height > 0, "a picture has pixels");
  must(image->pixels.size() == static_cast<size_t>(image->width * image->height * 3), "each with three colours");
  const RgbImage again = read_png(scratch_file("again.png", encode_png(*image)));
  must(again.width == image->width && again.height == image->height && again.pixels == image->pixels,
       "written and read again, a picture is equal");
}

const Registered target("png", read);

}  // namespace
}  // namespace sgf::fuzz
