// What is said of a weight file, in whatever container: its format mark, its networks, their sizes and faults.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "lab/study/arm_file.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/weight_identity.h"
#include "sgf/text/umt5_names.h"
#include "sgf/vae/vae_config.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/weight_report.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.weights";

void look_for_networks(const TensorFile& file) {
  do_or_refuse("", [&] { infer_dit_config(index_dit_weights(file)); });
  do_or_refuse("", [&] { index_umt5(file); });
  do_or_refuse("", [&] {
    if (const auto vae = find_vae(file)) vae_faults(infer_vae_config(*vae), *vae);
  });
}

void read(std::string_view input) {
  const auto file = read_or_refuse(kName, [&] { return read_tensor_file(mapped(kName, input)); });
  if (!file) return;
  do_or_refuse(kName, [&] { check_format(*file, kName); });
  report_weights(*file, kName);
  to_json(report_weights(*file, kName)).dump();
  find_stored_config(*file, kName);
  training_of(*file);
  must(weight_identity(*file).size() == 64, "an identity has 64 digits");
  look_for_networks(*file);
}

const Registered target("weight_report", read);

}  // namespace
}  // namespace sgf::fuzz
