#include "sgf/assembly/random_wan.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/random_tensors.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/torch_archive_writer.h"
#include "sgf/files/writable_folder.h"
#include "sgf/text/spiece_writer.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<PlannedFile>;
using BytesWritten = std::function<void(uint64_t)>;

// Networks of one folder draw from streams of their own.
enum Network : int64_t { kDit, kUmt5, kVae, kStudent, kStudentEma };

struct WanSize {
  const char* name;
  const char* preset;  // of the DiT
  Umt5Config text;
  int64_t pieces;  // of the tokenizer
  int64_t vae_dim;
  size_t shards;  // of the DiT; 1: one file without an index
};

const std::array kSizes{
    WanSize{"tiny",
            "wan-tiny",
            {.vocabulary = 1024,
             .dim = 64,
             .dim_attn = 64,
             .dim_ffn = 128,
             .num_heads = 4,
             .num_layers = 2,
             .num_buckets = 32},
            1000,
            8,
            1},
    WanSize{"1.3b", "wan-1.3b", kWanUmt5, 256000, 96, 1},
    WanSize{"14b", "wan-14b", kWanUmt5, 256000, 96, 6},
};

const WanSize& size_named(const std::string& name) {
  const auto found = std::ranges::find(kSizes, name, &WanSize::name);
  SGF_CHECK(found != kSizes.end(), "the size must be {}, got {}", fmt::join(random_wan_sizes(), ", "), in_quotes(name));
  return *found;
}

class Planner {
 public:
  explicit Planner(const RandomWanOrder& order)
      : order_(order), size_(size_named(order.size)), dit_(load_config(size_.preset, {}, preset_folders()).model) {}

  Files plan() {
    add_text(order_.folder / "config.json", dit_json());
    add_text(order_.folder / "google" / "umt5-xxl" / "spiece.model", spiece_bytes(plain_tokenizer(size_.pieces)));
    add_archive(order_.folder / "Wan2.1_VAE.pth", kVae, DType::kF32,
                [vae = VaeConfig{.dim = size_.vae_dim}](const RandomOrder& o) { return random_vae(vae, o); });
    add_archive(order_.folder / "models_t5_umt5-xxl-enc-bf16.pth", kUmt5, DType::kBF16,
                [text = size_.text](const RandomOrder& o) { return random_umt5(text, o); });
    size_.shards == 1 ? add_dit() : add_shards();
    if (order_.student) add_student();
    return std::move(files_);
  }

 private:
  RandomOrder random(
      Network network, DType dtype, BytesWritten written = [](uint64_t) {}) const {
    return {.seed = order_.seed, .network = network, .dtype = dtype, .written = std::move(written)};
  }

  std::string dit_json() const {
    nlohmann::json json = parse_strict_json(to_json(dit_), "config.json");
    json["_class_name"] = "WanModel";
    json["_diffusers_version"] = "0.30.0";
    json["model_type"] = "t2v";
    return json.dump(2) + "\n";
  }

  void add_text(const fs::path& path, std::string text) {
    files_.push_back({path, text.size(), [path, text = std::move(text)](const BytesWritten& written) {
                        AtomicFile file(path);
                        file.write(text);
                        file.commit();
                        written(text.size());
                      }});
  }

  template <class Tensors>
  void add_archive(const fs::path& path, Network network, DType dtype, Tensors tensors) {
    files_.push_back({path, bytes_of(tensors(random(network, dtype))),
                      [=, this_order = random(network, dtype)](const BytesWritten& written) {
                        RandomOrder order = this_order;
                        order.written = written;
                        write_torch_archive(path, tensors(order));
                      }});
  }

  void add_dit() {
    const fs::path path = order_.folder / "diffusion_pytorch_model.safetensors";
    const RandomOrder silent = random(kDit, order_.dit_dtype);
    files_.push_back({path, bytes_of(random_dit(dit_, silent)), [=, dit = dit_](const BytesWritten& written) {
                        RandomOrder order = silent;
                        order.written = written;
                        write_safetensors(path, random_dit(dit, order), {{"format", "pt"}});
                      }});
  }

  // Tensors in order, a new shard as soon as one has its share of the bytes.
  std::vector<std::pair<size_t, size_t>> cut_shards(const std::vector<OutgoingTensor>& tensors) const {
    const uint64_t share = bytes_of(tensors) / size_.shards + 1;
    std::vector<std::pair<size_t, size_t>> ranges{{0, 0}};
    uint64_t bytes = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (bytes >= share * ranges.size() && ranges.size() < size_.shards) ranges.emplace_back(i, i);
      bytes += dense_byte_count(tensors[i].dtype, tensors[i].shape).value();
      ranges.back().second = i + 1;
    }
    return ranges;
  }

  void add_shards() {
    const RandomOrder silent = random(kDit, order_.dit_dtype);
    const std::vector<OutgoingTensor> all = random_dit(dit_, silent);
    const auto ranges = cut_shards(all);
    nlohmann::json index{{"metadata", {{"total_size", bytes_of(all)}}}};
    Files shards;
    for (size_t shard = 0; shard < ranges.size(); ++shard) {
      const size_t begin = ranges[shard].first, end = ranges[shard].second;
      const std::string name =
          fmt::format("diffusion_pytorch_model-{:05}-of-{:05}.safetensors", shard + 1, ranges.size());
      for (size_t i = begin; i < end; ++i) index["weight_map"][all[i].name] = name;
      const auto part = [=, dit = dit_](const RandomOrder& order) {
        const std::vector<OutgoingTensor> tensors = random_dit(dit, order);
        return std::vector<OutgoingTensor>(tensors.begin() + static_cast<int64_t>(begin),
                                           tensors.begin() + static_cast<int64_t>(end));
      };
      const fs::path path = order_.folder / name;
      shards.push_back({path, bytes_of(part(silent)), [=](const BytesWritten& written) {
                          RandomOrder order = silent;
                          order.written = written;
                          write_safetensors(path, part(order), {{"format", "pt"}});
                        }});
    }
    std::ranges::move(shards, std::back_inserter(files_));
    add_text(order_.folder / "diffusion_pytorch_model.safetensors.index.json", index.dump(2) + "\n");
  }

  void add_student() {
    const fs::path path = *order_.student;
    const uint64_t bytes = 2 * bytes_of(random_dit(dit_, random(kStudent, order_.dit_dtype)));
    files_.push_back(
        {path, bytes,
         [path, dit = dit_, weights = random(kStudent, order_.dit_dtype),
          ema = random(kStudentEma, order_.dit_dtype)](const BytesWritten& written) {
           RandomOrder first = weights, second = ema;
           first.written = second.written = written;
           write_torch_dicts(path, {{"generator", random_dit(dit, first)}, {"generator_ema", random_dit(dit, second)}});
         }});
  }

  RandomWanOrder order_;
  const WanSize& size_;
  DitConfig dit_;
  Files files_;
};

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

void check_room(const Files& files) {
  std::map<fs::path, uint64_t> needed;
  for (const PlannedFile& file : files) needed[folder_of(file.path)] += file.bytes;
  std::map<uintmax_t, uint64_t> by_disk;  // disks are told apart by their free bytes, as folders have no other sign
  for (const auto& [folder, bytes] : needed) by_disk[fs::space(existing_part(folder)).available] += bytes;
  for (const auto& [free, bytes] : by_disk)
    SGF_CHECK(bytes <= free, "{}: {} GB are needed, but {} GB are free; choose another folder or a smaller --size",
              files.front().path.parent_path().string(), (bytes + 999'999'999) / 1'000'000'000, free / 1'000'000'000);
}

}  // namespace

std::vector<std::string> random_wan_sizes() {
  std::vector<std::string> names;
  for (const WanSize& size : kSizes) names.emplace_back(size.name);
  return names;
}

std::vector<PlannedFile> plan_random_wan(const RandomWanOrder& order) {
  SGF_CHECK(order.dit_dtype == DType::kF32 || order.dit_dtype == DType::kBF16,
            "random weights are written as F32 or BF16, got {}", name_of(order.dit_dtype));
  if (order.student)
    SGF_CHECK(order.student->extension() == ".pt", "{}: a student is written as .pt", order.student->string());
  return Planner(order).plan();
}

void check_random_wan(const std::vector<PlannedFile>& files, bool overwrite) {
  for (const PlannedFile& file : files) {
    SGF_CHECK(overwrite || !fs::exists(file.path),
              "{}: exists; pass --overwrite to replace it, or choose another folder", file.path.string());
    check_can_be_made(folder_of(file.path), file.path.string());
  }
  check_room(files);
}

void prepare_random_wan(const std::vector<PlannedFile>& files, bool overwrite) {
  check_random_wan(files, overwrite);
  for (const PlannedFile& file : files) create_folder(folder_of(file.path));
}

}  // namespace sgf
