// Prints what is in a weight file, and writes its tensors in the other container: a torch checkpoint becomes
// safetensors, safetensors become a torch checkpoint.
// usage: convert_weights INPUT OUTPUT-WITHOUT-ENDING
#include <sgf/sgf.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

namespace {

std::string spelled(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

void print_contents(const sgf::TensorFile& file, const std::filesystem::path& path) {
  // Only the index is read: this takes milliseconds for a file of any size, and executes nothing in it.
  const sgf::WeightReport report = sgf::report_weights(file, path);
  std::printf("%s: %s, written by: %s\n", path.c_str(), report.format.c_str(), report.written_by.c_str());
  for (const sgf::TensorEntry& entry : file.entries)
    std::printf("  %s %s %s\n", entry.name.c_str(), std::string(sgf::name_of(entry.dtype)).c_str(),
                spelled(entry.shape).c_str());
  for (const sgf::RoleReport& role : report.roles)
    if (role.dit && role.dit->config)
      std::printf("  a Wan DiT of width %ld with %ld layers\n", static_cast<long>(role.dit->config->dim),
                  static_cast<long>(role.dit->config->num_layers));
}

void convert(const std::filesystem::path& input, std::filesystem::path output) {
  const sgf::TensorFile file = sgf::open_tensor_file(input);
  print_contents(file, input);

  output += file.container == sgf::Container::kSafetensors ? ".pt" : ".safetensors";
  // `names` could ask for diffusers names, `dtype` for another type of numbers.
  const sgf::ConvertResult result =
      sgf::convert_weights({.input = input, .output = output, .names = sgf::ConvertNames::kKeep, .overwrite = true});
  std::printf("%s: %ld tensors, %lu bytes\n", output.c_str(), static_cast<long>(result.tensors),
              static_cast<unsigned long>(result.bytes));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: convert_weights INPUT OUTPUT-WITHOUT-ENDING\n");
    return 2;
  }
  try {
    convert(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "convert_weights: %s\n", error.what());
    return 1;
  }
}
