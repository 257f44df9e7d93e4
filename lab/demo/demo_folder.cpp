#include "lab/demo/demo_folder.h"

#include "lab/demo/demo_page.h"
#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"
#include "sgf/report/html_page.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPageFile = "demo.html";

bool is_demo_page(const fs::path& page) {
  return fs::is_regular_file(page) && MappedFile::open(page)->text().find(kDemoTitle) != std::string_view::npos;
}

const fs::path& ready_folder(const fs::path& path) {
  std::error_code error;  // what cannot be looked at cannot be made either
  SGF_CHECK(!fs::exists(path, error) || fs::is_directory(path, error), "{} is not a folder; choose another with --out",
            path.string());
  SGF_CHECK(!fs::exists(path, error) || fs::is_empty(path) || is_demo_page(path / kPageFile),
            "{} contains files that are not from sgf demo; choose a new or empty folder with --out", path.string());
  fs::create_directories(path, error);
  SGF_CHECK(!error, "{}: cannot create the demo's folder ({}); choose another with --out", path.string(),
            error.message());
  SGF_CHECK(::access(path.c_str(), W_OK | X_OK) == 0,
            "{}: cannot write to the demo's folder ({}); choose another with --out", path.string(),
            std::strerror(errno));
  return path;
}

fs::path file_in(const fs::path& folder, size_t prompt, const char* ending) {
  fs::create_directories(folder);
  return folder / fmt::format("{:02}.{}", prompt, ending);
}

}  // namespace

DemoFolder::DemoFolder(const fs::path& path, const std::vector<std::string>& runs)
    : path_(ready_folder(path)), lock_(path) {
  save_page(page(), write_unfinished_page());
  for (const std::string& run : runs) fs::remove_all(path_ / run);
  for (const char* made : {"strips", "videos", "demo.png"}) fs::remove_all(path_ / made);
}

fs::path DemoFolder::strip(size_t prompt) const { return file_in(path_ / "strips", prompt, "png"); }

fs::path DemoFolder::video(const std::string& who, size_t prompt) const {
  return file_in(path_ / "videos" / who, prompt, "mp4");
}

}  // namespace sgf
