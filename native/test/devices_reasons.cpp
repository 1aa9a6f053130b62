#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "devices/reason.hpp"

using namespace seamscope;

namespace {

// The codes of the union ReasonCode, in order.
std::vector<std::string> codes_of_protocol(const std::string& source) {
  const auto start = source.find("export type ReasonCode =");
  const auto end = source.find("export interface", start);
  std::vector<std::string> codes;
  for (auto at = source.find("| '", start); at < end; at = source.find("| '", at + 1))
    codes.push_back(source.substr(at + 3, source.find('\'', at + 3) - at - 3));
  return codes;
}

}  // namespace

TEST_CASE("the reasons are the protocol's, in its order") {
  std::ifstream file(SEAMSCOPE_SOURCE_DIR "/helper/protocol/devices.ts");
  if (!file) {
    MESSAGE("skipped: the source tree is not on this machine");
    return;
  }
  std::ostringstream text;
  text << file.rdbuf();
  const auto codes = codes_of_protocol(text.str());
  REQUIRE(codes.size() == kReasonCodes);
  for (int i = 0; i < kReasonCodes; ++i) CHECK(codes[i] == reason_name(static_cast<ReasonCode>(i)));
}

TEST_CASE("every reason has a cause and a next step, each a sentence") {
  std::set<std::string> names;
  for (int i = 0; i < kReasonCodes; ++i) {
    const Reason reason = make_reason(static_cast<ReasonCode>(i), {"A", "B"}, "words");
    const std::string name = reason_name(reason.code);
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(reason.message.size() > 20);
    CHECK(reason.message.back() == '.');
    CHECK(reason.next_step.back() == '.');
    CHECK((reason.message + reason.next_step).find('{') == std::string::npos);
    CHECK(reason.detail == "words");
  }
}

TEST_CASE("values that look like placeholders stay as they are") {
  const auto reason = make_reason(ReasonCode::HiddenByCudaVisibleDevices, {"{1}{0}", "it is not in the list"});
  CHECK(reason.message.find("{0}") != std::string::npos);
}
