// The report as JSON, for programs.
#include "sgf/files/strict_json.h"
#include "sgf/weights/weight_report.h"

#include <nlohmann/json.hpp>

namespace sgf {
namespace {

using nlohmann::json;

json dit_json(const DitReport& dit) {
  json architecture = nullptr;
  if (dit.config) {
    architecture = parse_strict_json(to_json(*dit.config), "architecture");
    if (dit.config->num_heads == 0) architecture["num_heads"] = nullptr;
  }
  return {{"naming", dit.naming},         {"prefixes", dit.prefixes},
          {"architecture", architecture}, {"architecture_from", dit.config_source},
          {"preset", dit.preset},         {"missing", dit.missing},
          {"unexpected", dit.unexpected}, {"mismatched", dit.mismatched},
          {"whole", dit.is_whole()},      {"unsupported", dit.unsupported}};
}

json role_json(const RoleReport& role) {
  return {{"name", role.name},
          {"tensors", role.tensors},
          {"parameters", role.parameters},
          {"ema", role.is_ema},
          {"dit", role.dit ? dit_json(*role.dit) : json(nullptr)}};
}

}  // namespace

json to_json(const WeightReport& report) {
  json roles = json::array();
  for (const RoleReport& role : report.roles) roles.push_back(role_json(role));
  json dtypes = json::object();
  for (const auto& [name, count] : report.dtypes) {
    dtypes[name] = {{"tensors", count.tensors}, {"elements", count.elements}};
  }
  return {{"file", report.path},
          {"format", report.format},
          {"bytes", report.bytes},
          {"content", report.content},
          {"written_by", report.written_by},
          {"ema", report.has_ema()},
          {"tensors", report.tensors},
          {"parameters", report.parameters},
          {"dtypes", dtypes},
          {"roles", roles},
          {"shared", report.shared},
          {"unindexed", report.unindexed},
          {"problem", report.problem},
          {"readable", report.is_readable},
          {"hint", report.hint}};
}

}  // namespace sgf
