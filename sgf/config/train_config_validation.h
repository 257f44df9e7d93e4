// The part of validate(Config) that concerns training.
#pragma once

namespace sgf {

struct Config;

void validate_training(const Config& config);

}  // namespace sgf
