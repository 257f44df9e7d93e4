// For tests of refusals: the message of the sgf::Error that a call throws.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sgf/core/error.h"

namespace sgf {

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected a refusal, but the call went through";
  return "";
}

}  // namespace sgf
