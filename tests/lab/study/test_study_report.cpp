// What a study leaves for programs, browsers and docs/study.md.
#include "lab/study/study_report.h"
#include "tests/core/refusal.h"
#include "tests/lab/study/made_up_study.h"
#include "tests/training/file_text.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::made_up_study;
using testing::TemporaryFolder;
using testing::write_made_up_arms;

StudyReport report_of(const Study& study, const std::vector<ArmResult>& results) {
  return report_study(study, arms_of(study.recipe(), {}), results, "sgf test\nmore");
}

// The first tag that is closed out of turn, or never; empty where all are.
std::string tag_out_of_turn(const std::string& html) {
  static const std::set<std::string> without_end{"meta", "img"};
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const bool closes = html[at + 1] == '/';
    const size_t first = at + (closes ? 2 : 1), last = html.find('>', at);
    if (last == std::string::npos) return html.substr(at);
    if (std::islower(static_cast<unsigned char>(html[first])) == 0) continue;  // a declaration, a comparison
    const std::string name = html.substr(first, html.find_first_of(" \n/>", first) - first);
    if (html[last - 1] == '/' || without_end.contains(name)) continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    if (open.empty() || open.back() != name) return name;
    open.pop_back();
  }
  return open.empty() ? "" : open.back();
}

TEST(StudyReport, IsAPageThatNeedsNothingElseAndIsWellFormed) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  results[2].json["strip"] = "iVBORw0KGgo=";
  results[3].json["strip"] = "\"><script>alert(1)</script>";
  const std::string page = report_of(study, results).page;
  EXPECT_EQ(tag_out_of_turn(page), "");
  EXPECT_EQ(tag_out_of_turn("<p><b>x</p>"), "p");  // the check can fail
  EXPECT_THAT(page, HasSubstr("data:image/png;base64,iVBORw0KGgo="));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr(study.file.sha256));
  for (const char* outside : {"<script", "http://", "https://", "<link"})
    EXPECT_THAT(page, ::testing::Not(HasSubstr(outside)));
}

TEST(StudyReport, HasAPictureOfTheHeadlineMetricsThatNeedsNoPage) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  write_report(study, report_of(study, write_made_up_arms(study, 0.05)));
  const std::string figure = testing::text_of(folder / "study-chunkwise.svg");
  EXPECT_EQ(tag_out_of_turn(figure), "");
  EXPECT_THAT(figure, ::testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  for (const std::string& metric : study.recipe().analysis.headline)
    EXPECT_THAT(figure, HasSubstr(fmt::format("aria-label=\"{}\"", study_metric(metric).words)));
  EXPECT_THAT(figure, ::testing::Not(HasSubstr("aria-label=\"re-render error\"")));
  for (const char* arm : {">SF<", ">SGF<"}) EXPECT_THAT(figure, HasSubstr(arm));
}

TEST(StudyReport, HoldsTheRecipesHashTheConfigsAndTheVerdicts) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  write_report(study, report_of(study, write_made_up_arms(study, -0.05)));
  const nlohmann::json json = nlohmann::json::parse(testing::text_of(folder / "study.json"));
  EXPECT_EQ(json.at("recipe_sha256"), study.file.sha256);
  EXPECT_EQ(json.at("chunkwise").at("pairs"), 2);
  EXPECT_EQ(json.at("chunkwise").at("comparisons")[0].at("verdict"), "worse");
  EXPECT_THAT(json.at("arms").at("chunkwise-sgf-1").at("config").get<std::string>(), HasSubstr("boundary: open"));
  EXPECT_FALSE(json.at("arms").at("chunkwise-sgf-1").contains("scores"));
  EXPECT_TRUE(json.at("chunkwise").at("precondition").contains("growth"));
}

TEST(StudyReport, ShowsMeasuredAndDecidingDifferencesFromTheTeacherSideBySide) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  for (const size_t arm : {1u, 2u})
    results[arm] = testing::write_made_up_arm(study, results[arm].arm, [&](auto...) { return arm == 1 ? 0.1 : 0.15; });
  const StudyReport report = report_of(study, results);
  EXPECT_THAT(report.markdown,
              HasSubstr("| identity error | 0.100 | 0.150 | +50.0 % | 1 - error | -0.050 (-5.6 %) | yes | yes |"));
  EXPECT_THAT(report.markdown,
              HasSubstr("| landmark drift | 0.100 | 0.150 | +50.0 % | 1 - error | -0.050 (-5.6 %) | yes "
                        "| no |"));
  EXPECT_THAT(report.markdown, HasSubstr("| re-render error | 0.100 | 0.150 | +50.0 % | none | - | - | no |"));
  const nlohmann::json& precondition = report.json.at("chunkwise").at("precondition");
  EXPECT_THAT(precondition.at("closeness_rule").get<std::string>(), HasSubstr("likeness, 1 - error"));
  const nlohmann::json& identity = precondition.at("closeness")[1];
  EXPECT_EQ(identity.at("compared_as"), "likeness");
  EXPECT_NEAR(identity.at("raw_relative_difference").get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(identity.at("relative_difference").get<double>(), -0.05 / 0.9, 1e-9);
  EXPECT_EQ(identity.at("is_close"), true);
  EXPECT_FALSE(precondition.at("closeness")[4].contains("is_close"));  // re-render error
  EXPECT_THAT(report.page, HasSubstr("Shares of frames are compared directly"));
}

TEST(StudyReport, SaysEverywhereWhetherTrainingMadeTheStudentBetter) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const StudyReport report = report_of(study, write_made_up_arms(study, -0.05));
  const std::string worse = "at 1x SGF is WORSE than the student it started from";
  EXPECT_THAT(report.markdown, HasSubstr(worse));
  EXPECT_THAT(report.page, HasSubstr(worse));
  EXPECT_THAT(report.conclusions, ::testing::Contains(HasSubstr(worse)));
  EXPECT_THAT(report.page, HasSubstr("class=\"verdict watch\""));
  EXPECT_THAT(report_of(study, write_made_up_arms(study, 0.05)).page, HasSubstr("class=\"verdict good\""));
  const nlohmann::json& against = report.json.at("chunkwise").at("against_start");
  EXPECT_THAT(against.at("words")[1].get<std::string>(), HasSubstr(worse));
  EXPECT_EQ(against.at("changes").size(), 48u);
  EXPECT_EQ(against.at("is_worse"), true);
  EXPECT_THAT(report.markdown, HasSubstr("| metric | better | SF - initial | SGF - initial |"));
  EXPECT_THAT(report.markdown, HasSubstr("### Change since the initial student, at 12x"));
  EXPECT_THAT(report.markdown, ::testing::ContainsRegex("valid frames . more .*no difference seen . -0.0.*: worse"));
}

TEST(StudyReport, NumbersPairsAsTheyAreNumbered) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  std::erase_if(results, [](const ArmResult& result) { return result.arm.pair == 1; });
  const StudyReport report = report_of(study, results);
  EXPECT_THAT(report.markdown, HasSubstr("| metric | at | pair 2 | mean |"));
  EXPECT_EQ(report.json.at("chunkwise").at("pair_numbers"), std::vector<int64_t>{2});
}

TEST(StudyReport, ShowsTwiceAsManyUpdatesWhereTheRecipeAsks) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder, testing::made_up_recipe_with_twice());
  const StudyReport report = report_of(study, write_made_up_arms(study, 0.05));
  EXPECT_THAT(report.markdown, HasSubstr("| metric | initial student | SF | SF twice | SGF | SGF twice |"));
  EXPECT_THAT(report.markdown, HasSubstr("for 20 steps instead of 10."));
  EXPECT_THAT(report.page, HasSubstr("After twice the steps:"));
  EXPECT_EQ(tag_out_of_turn(report.page), "");
  const nlohmann::json& twice = report.json.at("chunkwise").at("after_twice");
  EXPECT_EQ(twice.at("changes").size(), 5u * 12u * 2u);  // differences, metrics with a direction, horizons
  EXPECT_EQ(twice.at("values").size(), 5u * 15u);
  EXPECT_EQ(twice.at("words").size(), 4u + 2u);
  EXPECT_THAT(report.markdown, HasSubstr("### Change by twice the steps, at 12x"));
  EXPECT_THAT(report.markdown, HasSubstr("| SF twice - SF | SGF twice - SGF | SGF twice - SF twice |"));
  EXPECT_EQ(report.json.at("chunkwise").at("pairs"), 2);
  const TemporaryFolder other;
  const Study without = made_up_study(other);
  const StudyReport plain = report_of(without, write_made_up_arms(without, 0.05));
  EXPECT_THAT(plain.page, ::testing::Not(HasSubstr("twice")));
  EXPECT_FALSE(plain.json.at("chunkwise").contains("after_twice"));
}

TEST(StudyReport, HasTablesThatMarkdownTakes) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const std::string text = report_of(study, write_made_up_arms(study, 0.05)).markdown;
  EXPECT_THAT(text, HasSubstr("| metric | truth | initial student | SF | SGF |\n| --- | --- | --- | --- | --- |\n"));
  EXPECT_THAT(text, HasSubstr("pair 1 | pair 2 | mean | standard deviation"));
  EXPECT_THAT(text, HasSubstr("supports the paper's claim"));
}

TEST(StudyReport, OfNothingIsRefused) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  EXPECT_THAT(refusal_of([&] { report_of(study, {}); }), HasSubstr("no arm has been evaluated yet"));
}

}  // namespace
}  // namespace sgf
