#include <doctest/doctest.h>

#include <string>

#include "base/uuid.hpp"
#include "devices/pci.hpp"

using namespace seamscope;

TEST_CASE("UUID text") {
  struct Case {
    const char* text;
    const char* expected;  // "" = refused
  };
  constexpr Case kCases[] = {
      {"00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
      {"GPU-00112233-4455-6677-8899-AABBCCDDEEFF", "00112233-4455-6677-8899-aabbccddeeff"},
      {"MIG-00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
      {"MIG-GPU-00112233-4455-6677-8899-aabbccddeeff/1/0", ""},
      {"00112233445566778899aabbccddeeff", ""},
      {"00112233-4455-6677-8899-aabbccddeeff0", ""},
      {"00112233-4455-6677-8899-aabbccddeefg", ""},
      {"00112233-4455-6677-8899+aabbccddeeff", ""},
      {"GPU-", ""},
      {"", ""},
  };
  for (const auto& item : kCases) {
    CAPTURE(item.text);
    const auto uuid = parse_uuid(item.text);
    CHECK((uuid ? uuid_text(*uuid) : "") == std::string(item.expected));
  }
}

TEST_CASE("UUIDs that differ in one byte are different") {
  const auto a = parse_uuid("00112233-4455-6677-8899-aabbccddeeff");
  const auto b = parse_uuid("00112233-4455-6677-8899-aabbccddeefe");
  CHECK(a != b);
  CHECK(a == parse_uuid("GPU-00112233-4455-6677-8899-aabbccddeeff"));
}

TEST_CASE("PCI addresses of the three APIs become one") {
  CHECK(normal_pci("00000000:3B:00.0") == "0000:3b:00.0");  // NVML
  CHECK(normal_pci("0000:3B:00.0") == "0000:3b:00.0");      // CUDA
  CHECK(normal_pci("00010000:03:00.0") == "00010000:03:00.0");
  CHECK(normal_pci("") == "");
}
