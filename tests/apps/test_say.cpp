// What the program prints goes through one file, which prints nothing that a terminal would obey.
// g++ 12 under sanitizers takes parts of std::regex for uninitialised.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "apps/say.h"

#include "sgf/core/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace sgf {
namespace {

using testing::HasSubstr;

// What the functions of say.h write to a stream.
template <class Print>
std::string printed(const Print& print) {
  std::FILE* file = std::tmpfile();
  print(file);
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Say, ALineIsOneLine) {
  EXPECT_EQ(printed([](std::FILE* file) { print_line(file, "a\nb\x1b"); }), "a\\x0ab\\x1b\n");
  EXPECT_EQ(printed([](std::FILE* file) { print_line(file, "grüße"); }), "grüße\n");
  EXPECT_EQ(printed([](std::FILE* file) { print_lines(file, "a\nb\x1b\n"); }), "a\nb\\x1b\n");
}

TEST(Say, SaysWhyNothingCouldBeWritten) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  std::setvbuf(full, nullptr, _IONBF, 0);
  try {
    print_line(full, "a");
    ADD_FAILURE() << "expected an error";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_space_on_device);
    EXPECT_THAT(error.what(), HasSubstr("could not be written"));
  }
  std::fclose(full);
}

TEST(Say, JsonStaysTheSameValue) {
  const nlohmann::json value{{"prompt\x7f", "\u009b31m \u202e \U000e0041 grüße \x1b\n"}};
  const std::string shown = json_line(value);
  EXPECT_EQ(printable(shown), shown);
  EXPECT_THAT(shown, HasSubstr("grüße"));
  EXPECT_EQ(nlohmann::json::parse(shown), value);
  EXPECT_EQ(json_line("caf\xe9"), "\"caf\uFFFD\"");
}

// Whoever prints past say.h prints what came from outside as it came.
std::vector<std::string> prints_in(std::istream& source) {
  static const std::regex kPrint(
      R"(fmt::print|std::(cout|cerr|clog)|\b(printf|fprintf|vfprintf|dprintf|puts|fputs|putchar|fputc|putc|perror)\()"
      R"(|fwrite\(.*std(out|err)|(^|[^.>\w])write\(\s*(1|2|STD(OUT|ERR)_FILENO)\b)");
  std::vector<std::string> found;
  for (std::string line; std::getline(source, line);) {
    const std::string code = line.substr(0, line.find("//"));
    if (std::regex_search(code, kPrint)) found.push_back(line);
  }
  return found;
}

TEST(Say, APrintCallIsFound) {
  std::istringstream source(
      "fmt::print(stderr, \"{}\", name);\n  std::cout << name;\n  std::fputs(name, stderr);\n"
      "std::snprintf(text, 5, \"a\");\n// fmt::print\nsay(\"{}\", name);\nfile.write(1, 2);\n");
  EXPECT_EQ(prints_in(source).size(), 3u);
}

TEST(Say, OnlyTheProgramPrints) {
  const std::filesystem::path root = SGF_SOURCE_DIR;
  const std::set<std::string> printers{"apps/say.cpp", "apps/progress.cpp"};
  size_t files = 0;
  for (const char* folder : {"sgf", "lab", "apps"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().lexically_relative(root).string();
      const bool is_source = name.ends_with(".cpp") || name.ends_with(".h") || name.ends_with(".cu");
      if (!is_source || printers.contains(name)) continue;
      std::ifstream source(entry.path());
      for (const std::string& line : prints_in(source)) ADD_FAILURE() << name << ": use apps/say.h: " << line;
      ++files;
    }
  EXPECT_GT(files, 100u);
}

}  // namespace
}  // namespace sgf
