// Which files a run began with, as its facts say.
#include "sgf/assembly/start_sources.h"

#include "sgf/runs/run_folder.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <nlohmann/json.hpp>

#include <string>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::write_text;
using Json = nlohmann::json;

std::string nested() { return std::string(100'000, '[') + std::string(100'000, ']'); }

TEST(FactsFile, NestedFactsAreRefusedByBothWhoReadThem) {
  const testing::TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run", "name: a\n");
  run.add_facts(Json{{"a", 1}});
  EXPECT_TRUE(read_start_sources(run.facts_file()).empty());
  write_text(run.facts_file(), nested());
  const auto says_so = AllOf(HasSubstr("facts.json"), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal_of([&] { read_start_sources(run.facts_file()); }), says_so);
  EXPECT_THAT(refusal_of([&] { run.add_facts(Json{{"a", 1}}); }), says_so);
}

}  // namespace
}  // namespace sgf
