#include "sgf/vae/vae_report.h"

#include "sgf/core/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sgf {

std::optional<VaeReport> report_vae(const TensorFile& file) {
  const std::optional<VaeIndex> vae = find_vae(file);
  if (!vae) return std::nullopt;
  VaeReport report{.prefix = vae->prefix, .naming = vae->naming, .config = {}, .problem = {}, .faults = {}};
  try {
    report.config = infer_vae_config(*vae);
    report.faults = vae_faults(*report.config, *vae);
  } catch (const Error& error) {
    report.problem = error.what();
  }
  return report;
}

std::string architecture_of(const VaeReport& report) {
  if (!report.config) return fmt::format("Wan VAE of unknown sizes: {}", report.problem);
  const VaeConfig& c = *report.config;
  std::vector<std::string> times;
  for (const bool temporal : c.temporal_downsample) times.emplace_back(temporal ? "yes" : "no");
  return fmt::format("Wan VAE: dim {}, z_dim {}, dim_mult [{}], {} residual blocks, temporal downsample [{}]", c.dim,
                     c.z_dim, fmt::join(c.dim_mult, ", "), c.num_res_blocks, fmt::join(times, ", "));
}

nlohmann::json to_json(const VaeReport& report) {
  nlohmann::json architecture = nullptr;
  if (report.config)
    architecture = {{"dim", report.config->dim},
                    {"z_dim", report.config->z_dim},
                    {"dim_mult", report.config->dim_mult},
                    {"num_res_blocks", report.config->num_res_blocks},
                    {"temporal_downsample", report.config->temporal_downsample}};
  return {{"architecture", architecture},
          {"prefix", report.prefix},
          {"naming", report.naming},
          {"missing", report.faults.missing},
          {"unexpected", report.faults.unexpected},
          {"mismatched", report.faults.mismatched},
          {"whole", report.is_whole()},
          {"problem", report.problem}};
}

}  // namespace sgf
