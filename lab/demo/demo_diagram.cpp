#include "lab/demo/demo_diagram.h"

#include <fmt/format.h>

#include <array>

namespace sgf {
namespace {

// Three blocks a pass. The rows, from above: loss, blocks, memory.
constexpr double kBoxWidth = 84, kBoxHeight = 38, kStride = 118;
constexpr double kLossTop = 44, kBlockTop = 122, kMemoryTop = 228;
constexpr double kFirstPass = 26, kSecondPass = 424;  // left edges
constexpr int kBlocks = 3;
constexpr const char* kPlain = "var(--soft)";

double left_of(double pass, int block) { return pass + block * kStride; }
double middle_of(double pass, int block) { return left_of(pass, block) + kBoxWidth / 2; }

std::string box(double x, double y, double width, const std::string& text) {
  return fmt::format(
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"5\" fill=\"none\" stroke=\"{}\"/>"
      "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>",
      x, y, width, kBoxHeight, kPlain, x + width / 2, y + kBoxHeight / 2 + 4, text);
}

std::string words(double x, double y, const std::string& text, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>", x, y, anchor, text);
}

std::string title(double x, const std::string& text) {
  return fmt::format("<text class=\"name\" x=\"{:.0f}\" y=\"24\">{}</text>", x, text);
}

// A tip for each colour: a marker does not take its line's.
std::string tip(const std::string& name, const std::string& colour) {
  return fmt::format(
      "<marker id=\"tip-{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
      "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{}\"/></marker>",
      name, colour);
}

struct Ink {
  const char* tip;
  std::string colour;
  double width = 1.4;
};

std::string arrow(double x1, double y1, double x2, double y2, const Ink& ink) {
  return fmt::format(
      "<path d=\"M{:.0f} {:.0f}L{:.0f} {:.0f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "marker-end=\"url(#tip-{})\"/>",
      x1, y1, x2, y2, ink.colour, ink.width, ink.tip);
}

// Blocks above what they wrote.
std::string blocks_and_memory(double pass) {
  std::string svg;
  for (int i = 0; i < kBlocks; ++i)
    svg += box(left_of(pass, i), kBlockTop, kBoxWidth, fmt::format("block {}", i + 1)) +
           box(left_of(pass, i), kMemoryTop, kBoxWidth, fmt::format("K/V {}", i + 1));
  return svg;
}

// Lines between later blocks and the memory of earlier ones, upwards where it is read, downwards for gradients.
std::string between_rows(double pass, const Ink& ink, bool is_upwards) {
  std::string svg;
  for (int reader = 1; reader < kBlocks; ++reader)
    for (int writer = 0; writer < reader; ++writer) {
      const double low = middle_of(pass, writer) + 10 + 14 * (reader - writer - 1);
      const double high = middle_of(pass, reader) + 22 - 16 * (reader - writer);
      svg += is_upwards ? arrow(low, kMemoryTop, high, kBlockTop + kBoxHeight, ink)
                        : arrow(high, kBlockTop + kBoxHeight, low, kMemoryTop, ink);
    }
  return svg;
}

std::string first_pass() {
  const Ink plain{"plain", kPlain};
  std::string svg = title(kFirstPass, "Pass 1: as in streaming, no gradient") + blocks_and_memory(kFirstPass) +
                    between_rows(kFirstPass, plain, true);
  for (int i = 0; i < kBlocks; ++i) {
    const double x = middle_of(kFirstPass, i) - 30;
    svg += arrow(x, kBlockTop + kBoxHeight, x, kMemoryTop, plain);
    svg += words(middle_of(kFirstPass, i), kBlockTop - 12, fmt::format("{}.", i + 1), "middle");
  }
  return svg + words(kFirstPass, kLossTop + 14, "One after another: denoise a block, write its keys") +
         words(kFirstPass, kLossTop + 32, "and values, let later blocks read them.") +
         words(kFirstPass, kMemoryTop + kBoxHeight + 22, "kept: each block at its exit step, and the clean blocks");
}

std::string second_pass(const std::string& sf, const std::string& sgf) {
  const double width = 2 * kStride + kBoxWidth, cut = (kBlockTop + kBoxHeight + kMemoryTop) / 2;
  const Ink both{"both", "var(--ink)", 1.8}, open{"open", sgf, 2.2};
  std::string svg = title(kSecondPass, "Pass 2: all blocks at once, with gradient") +
                    box(kSecondPass, kLossTop, width, "loss of every block") + blocks_and_memory(kSecondPass) +
                    between_rows(kSecondPass, open, false);
  for (int i = 0; i < kBlocks; ++i)
    svg += arrow(middle_of(kSecondPass, i), kLossTop + kBoxHeight, middle_of(kSecondPass, i), kBlockTop, both);
  svg += words(middle_of(kSecondPass, 0) + 10, (kLossTop + kBoxHeight + kBlockTop) / 2 + 4, "gradient");
  svg += fmt::format(
      "<path d=\"M{:.0f} {:.0f}H{:.0f}\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"7 5\"/>"
      "<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\">SF: the detach</text>",
      kSecondPass - 20, cut, kSecondPass + width + 10, sf, kSecondPass - 20, cut - 8, sf);
  return svg + fmt::format(
                   "<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\">SGF: later losses reach the weights that "
                   "wrote the cache</text>",
                   kSecondPass, kMemoryTop + kBoxHeight + 22, sgf);
}

}  // namespace

std::string draw_two_passes(const std::string& sf, const std::string& sgf) {
  return "<svg viewBox=\"0 0 800 304\" role=\"img\" aria-label=\"the two passes, and where gradients flow\"><defs>" +
         tip("plain", kPlain) + tip("both", "var(--ink)") + tip("open", sgf) + "</defs>" + first_pass() +
         second_pass(sf, sgf) + "</svg>\n";
}

}  // namespace sgf
