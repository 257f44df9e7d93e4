// `sgf study RECIPE`: matched pairs of Self Forcing and Self Gradient Forcing, trained, evaluated and reported.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "apps/version.h"
#include "lab/study/child_jobs.h"
#include "lab/study/evaluate_arm.h"
#include "lab/study/study_plan.h"
#include "lab/study/study_report.h"
#include "lab/study/train_arm.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/recipe_places.h"
#include "sgf/core/cpu_threads.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/stop_signal.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/writable_folder.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <memory>

namespace sgf {
namespace {

constexpr int kStudyFailed = 1, kStudyStopped = 3, kStudyUnsound = 4;

struct StudyArgs {
  std::string recipe, out, only, device;
  ArmChoice choice;
  int64_t jobs = 1, threads = 0;
  bool selection = false, lean = false, dry_run = false, quiet = false;

  bool trains() const { return only.empty() || only == "train" || only == "arms"; }
  bool evaluates() const { return only.empty() || only == "evaluate" || only == "arms"; }
  bool reports() const { return only.empty() || only == "report"; }
};

Study open_study(const StudyArgs& args) {
  Study study{.file = read_study_recipe(find_study_recipe(args.recipe)),
              .folder = args.out,
              .preset_folders = preset_folders(),
              .is_selection = args.selection};
  if (!args.device.empty()) study.overrides.push_back("run.device=" + args.device);
  SGF_CHECK(!std::filesystem::exists(study.folder) || std::filesystem::is_directory(study.folder),
            "{} is a file; name a folder with --out", study.folder.string());
  if (study.folder.empty())
    study.folder = fmt::format("runs/{}{}", study.recipe().name, args.selection ? "-selection" : "");
  check_sizes(study);
  SGF_CHECK(!study.is_selection || study.evaluation().selection_prompts > 0,
            "the recipe has no prompts for --selection; set evaluation.selection_prompts");
  return study;
}

bool is_left(const PlannedArm& planned, const StudyArgs& args) {
  const bool is_untrained = planned.arm.is_trained() && planned.state < ArmState::kTrained;
  if (planned.state == ArmState::kEvaluated) return false;
  return args.evaluates() || (args.trains() && is_untrained);
}

std::string state_words(const PlannedArm& p) {
  switch (p.state) {
    case ArmState::kNothing:
      return "to do";
    case ArmState::kBegun:
      return fmt::format("{} of {} updates", p.steps_made, p.steps);
    case ArmState::kTrained:
      return "trained";
    case ArmState::kEvaluated:
      return "evaluated";
  }
  return "";
}

std::string seconds_words(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.0f}", *seconds) : "unknown";
}

void print_study_plan(const Study& study, const std::vector<PlannedArm>& plan) {
  Table table({"arm", "updates", "state", "training left, s", "evaluation left, s"});
  double sum = 0;
  bool is_known = true;
  for (const PlannedArm& p : plan) {
    table.add({p.arm.id(), p.steps > 0 ? fmt::format("{}", p.steps) : "-", state_words(p),
               seconds_words(p.training_seconds), seconds_words(p.evaluation_seconds)});
    for (const std::optional<double>& seconds : {p.training_seconds, p.evaluation_seconds})
      is_known = is_known && seconds, sum += seconds.value_or(0);
  }
  say("{}, sha256 {}, into {}", study.file.path.string(), study.file.sha256, study.folder.string());
  table.print();
  const std::string known = fmt::format("time left with one job: {}{:.0f} s", is_known ? "" : "at least ", sum);
  if (is_known) return say("{}", known);
  say("{} unknown until one arm of each kind is finished", sum > 0 ? known + "; the rest is" : "time left:");
}

int evaluate_here(const Study& study, const StudyArm& arm, const StudyArgs& args,
                  const std::function<void(const std::string&)>& say) {
  const c10::Device device = device_of(study.config_of(arm).run.device);
  const StopSignal signal;
  say(fmt::format("{}: evaluating, {} prompts", arm.id(), study.prompts(arm.granularity)));
  try {
    write_arm(
        study, arm,
        evaluate_arm({study, arm, device, args.threads, version_text(), say, [&] { return signal.received() != 0; }}));
  } catch (const ArmStopped&) {
    warn("{} stopped during the evaluation; run the same command again to evaluate it", arm.id());
    return kStudyStopped;
  }
  if (args.lean && arm.is_trained()) drop_states(study, arm);
  return 0;
}

// The arm's networks take as many threads as they are worth, up to those of this job, and the same ones when resumed.
Study with_threads(Study study, const StudyArm& arm, const StudyArgs& args) {
  const Config config = study.config_of(arm);
  const int64_t threads = threads_of_run(config, study.settings(arm.granularity).set, /*resume=*/true,
                                         study.run_of(arm), args.threads / args.jobs);
  if (threads > 0) study.overrides.push_back(fmt::format("run.threads={}", threads));
  return study;
}

// The arm in this process: trained, evaluated, or both; what sgf train would exit with.
int run_arm(const Study& planned_study, const PlannedArm& planned, const StudyArgs& args) {
  const StudyArm& arm = planned.arm;
  const Study study = with_threads(planned_study, arm, args);
  const ProgressMode mode = progress_mode(args.quiet);
  const auto say = [&](const std::string& line) {
    if (!args.quiet) remark("{}", line);
  };
  if (args.trains() && arm.is_trained() && planned.state < ArmState::kTrained) {
    say(fmt::format("{}: training, {} updates", arm.id(), planned.steps));
    const TrainResult result = train_arm(study, arm, version_text(), mode, standard_progress_output());
    if (result.end != TrainEnd::kDone) {
      warn("{} stopped after update {}: {}; run the same command again to resume", arm.id(), result.steps_done,
           result.reason);
      return result.end == TrainEnd::kStopped ? kStudyStopped : kStudyUnsound;
    }
  }
  return args.evaluates() ? evaluate_here(study, arm, args, say) : 0;
}

std::vector<std::string> child_arguments(const Study& study, const StudyArm& arm, const StudyArgs& args) {
  std::vector<std::string> words{"study",     args.recipe,
                                 "--out",     study.folder.string(),
                                 "--arms",    arm.id(),
                                 "--only",    args.only.empty() ? "arms" : args.only,
                                 "--threads", fmt::format("{}", std::max<int64_t>(1, args.threads / args.jobs))};
  if (args.choice.seeds) words.insert(words.end(), {"--seeds", fmt::format("{}", *args.choice.seeds)});
  if (!args.device.empty()) words.insert(words.end(), {"--device", args.device});
  if (args.selection) words.emplace_back("--selection");
  if (args.lean) words.emplace_back("--lean");
  return words;
}

// Of two ends the one that asks for more: a failure, or a crash, before a run that is unsound, before one that stopped.
int worse_code(int a, int b) {
  const auto weight = [](int code) {
    return code == 0 ? 0 : code == kStudyStopped ? 1 : code == kStudyUnsound ? 2 : 3;
  };
  const int worse = weight(b) > weight(a) ? b : a;
  return weight(worse) == 3 ? kStudyFailed : worse;
}

// One that was told to stop before it could listen was stopped, too.
int code_of(const ChildEnd& end) { return end.is_told && end.code == 128 + SIGTERM ? kStudyStopped : end.code; }

void tell_of(const ChildEnd& end, size_t done, size_t all, bool is_quiet) {
  if (code_of(end) == kStudyStopped)
    warn("{} stopped; run the same command again to resume", end.job.name);
  else if (end.code != 0)
    warn("{} failed with exit code {}; see {}", end.job.name, end.code, end.job.log.string());
  else if (!is_quiet)
    remark("{} of {}: {} done in {:.0f} s", done, all, end.job.name, end.seconds);
}

// Each arm in a process of its own, several at a time: one of these networks leaves most of a GPU idle.
int run_arms_beside(const Study& study, const std::vector<PlannedArm>& left, const StudyArgs& args) {
  std::filesystem::create_directories(study.folder / "logs");
  std::vector<ChildJob> jobs;
  for (const PlannedArm& p : left)
    jobs.push_back({p.arm.id(), child_arguments(study, p.arm, args), study.folder / "logs" / (p.arm.id() + ".log")});
  int worst = 0;
  size_t done = 0;
  const bool is_whole = run_children("/proc/self/exe", jobs, args.jobs, [&](const ChildEnd& end) {
    worst = worse_code(worst, code_of(end));
    tell_of(end, ++done, jobs.size(), args.quiet);
  });
  return is_whole ? worst : worse_code(worst, kStudyStopped);
}

// Before the first arm begins: hours later is too late.
void check_left(const Study& study, const std::vector<PlannedArm>& left) {
  for (const PlannedArm& planned : left) {
    device_of(study.config_of(planned.arm).run.device);
    if (planned.state < ArmState::kTrained) check_start(study, planned.arm);
  }
}

int run_arms(const Study& study, const std::vector<PlannedArm>& left, const StudyArgs& args) {
  check_left(study, left);
  std::filesystem::create_directories(study.folder);
  if (args.jobs > 1 && left.size() > 1) return run_arms_beside(study, left, args);
  for (const PlannedArm& planned : left)
    if (const int code = run_arm(study, planned, args); code != 0) return code;
  return 0;
}

StudyReport make_report(const Study& study, const StudyArgs& args) {
  const std::vector<StudyArm> planned = arms_of(study.recipe(), {.seeds = args.choice.seeds});
  return report_study(study, planned, read_arms(study, planned), version_text());
}

void report(const Study& study, const StudyArgs& args) {
  const StudyReport report = make_report(study, args);
  write_report(study, report);
  for (const std::string& sentence : report.conclusions) say("{}", sentence);
  say("report: {0}/study.html; also study.json, study.md and study-*.svg", study.folder.string());
}

// What the study would be refused for, after the plan.
void try_study(const Study& study, const std::vector<PlannedArm>& plan, const StudyArgs& args) {
  print_study_plan(study, plan);
  if (args.only == "report") {
    make_report(study, args);
    return;
  }
  std::vector<PlannedArm> left = plan;
  std::erase_if(left, [&](const PlannedArm& planned) { return !is_left(planned, args); });
  if (!left.empty()) check_can_be_made(study.folder, study.folder.string());
  check_left(study, left);
}

void run_study(StudyArgs args) {
  end_with_parent();
  if (args.threads == 0) args.threads = usable_cores();
  const Study study = open_study(args);
  std::vector<PlannedArm> left = plan_study(study, arms_of(study.recipe(), args.choice));
  if (args.dry_run) return try_study(study, left, args);
  for (const std::filesystem::path& folder : {study.folder, study.folder / "runs"}) sweep_half_written(folder);
  std::erase_if(left, [&](const PlannedArm& planned) { return !is_left(planned, args); });
  if (args.only != "report")
    if (const int code = run_arms(study, left, args); code != 0) return exit_with(code);
  if (args.reports()) report(study, args);
}

void add_study_choice(CLI::App& command, StudyArgs& args) {
  command.add_option("--seeds", args.choice.seeds, "matched pairs per granularity (default: as in the recipe)")
      ->check(CLI::Range(1, 64));
  command.add_option("--granularity", args.choice.granularities, "granularity to run (default: both)")
      ->check(CLI::IsMember({"chunkwise", "framewise"}));
  CLI::Option* arms =
      command
          .add_option("--arms", args.choice.arms,
                      "arms to run, separated by commas: kinds, or single arms as chunkwise-sgf-2 (default: all)")
          ->type_name("NAMES")
          ->delimiter(',');
  suggest_words(*arms, {"truth", "teacher", "initial", "sf", "sgf", "sgf-2", "sgf-twice"});
  command.add_option("--only", args.only, "part to run; arms = train and evaluate (default: all parts)")
      ->check(CLI::IsMember({"train", "evaluate", "arms", "report"}));
  command.add_flag("--selection", args.selection, "use the selection prompts instead of the test prompts");
}

}  // namespace

void add_study(CLI::App& app) {
  auto args = std::make_shared<StudyArgs>();
  CLI::App* command = app.add_subcommand("study", "Compare Self Forcing and Self Gradient Forcing in matched pairs");
  command->footer(
      "Examples:\n"
      "  sgf study world-small --granularity chunkwise --dry-run\n"
      "  sgf study world-small --granularity chunkwise --jobs 4 --lean\n\n"
      "Each arm writes ARM.json and ARM.safetensors. Arms that are complete are skipped, also when they were made on "
      "another machine; files of another recipe are refused. The report is study.html, with study.json, study.md and "
      "study-*.svg.\n\n"
      "Exit codes: 0 done; 1 failed; 3 stopped; 4 a run stopped itself.");
  CLI::Option* recipe = command->add_option("recipe", args->recipe, "bundled recipe, or YAML file of the study");
  recipe->type_name("RECIPE")->required();
  suggest(*recipe, recipe_names("study.yaml"));
  command->add_option("--out", args->out, "folder of the study (default: runs/NAME)")->type_name("DIR");
  add_study_choice(*command, *args);
  command->add_option("--jobs", args->jobs, "arms that run at the same time, each in its own process")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  add_device(*command, args->device, "run.device of each arm");
  add_threads(*command, args->threads, "default: all cores; of all jobs together, small networks take fewer");
  command->add_flag("--lean", args->lean, "delete a run's checkpoints after its evaluation; keep the weights");
  command->add_flag("--dry-run", args->dry_run,
                    "check everything and print what remains and how long it takes, without writing a file");
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->callback([args] { run_study(*args); });
}

}  // namespace sgf
