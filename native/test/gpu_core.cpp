// The device core: choosing a device, memory, commands, time-outs.

#include "gpu_device.hpp"

using namespace seamscope;
using namespace seamscope::gpu;

TEST_CASE("gpu: UUID text goes both ways") {
  const std::string text = "6d657361-3232-2e33-2e36-00000000ff0a";
  const auto uuid = parse_uuid(text);
  REQUIRE(uuid);
  CHECK((*uuid)[0] == 0x6d);
  CHECK((*uuid)[15] == 0x0a);
  CHECK(uuid_text(*uuid) == text);
  CHECK_FALSE(parse_uuid("6d657361"));
  CHECK_FALSE(parse_uuid("6d657361-3232-2e33-2e36-00000000ff0g"));
}

TEST_CASE("gpu: a device is found by its UUID, and an unknown one is refused by name") {
  const auto any = test::device();
  if (!any) return;
  auto instance = VulkanInstance::create();
  REQUIRE(instance);
  auto shared = std::make_shared<const VulkanInstance>(std::move(*instance));
  const auto same = Device::create(shared, any->info().uuid);
  REQUIRE(same);
  CHECK((*same)->info().name == any->info().name);
  CHECK((*same)->text().find(any->info().name) == 0);
  Uuid unknown{};
  unknown[0] = 0xEE;
  const auto none = Device::create(shared, unknown);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("ee000000-0000") != std::string::npos);
  CHECK_FALSE(none.error().next_step.empty());
}

TEST_CASE("gpu: memory is counted while it is held") {
  const auto device = test::device();
  if (!device) return;
  const uint64_t before = device->gpu_memory_bytes();
  {
    const auto buffer = Buffer::create(device, 1 << 20, MemoryUse::Device);
    REQUIRE(buffer);
    CHECK((*buffer)->gpu_bytes() >= 1 << 20);
    CHECK(device->gpu_memory_bytes() == before + (*buffer)->gpu_bytes());
  }
  CHECK(device->gpu_memory_bytes() == before);
}

TEST_CASE("gpu: an allocation that cannot be had is an error with the size in it") {
  const auto device = test::device();
  if (!device) return;
  const auto buffer = Buffer::create(device, uint64_t{1} << 46, MemoryUse::Device);
  REQUIRE_FALSE(buffer);
  CHECK(buffer.error().message.find("VK_ERROR") != std::string::npos);
  CHECK_FALSE(buffer.error().next_step.empty());
}

TEST_CASE("gpu: fill and copy arrive in host memory, also through the transfer queue") {
  const auto device = test::device();
  if (!device) return;
  const auto from = Buffer::create(device, 4096, MemoryUse::Device),
             to = Buffer::create(device, 4096, MemoryUse::ReadBack);
  REQUIRE(from);
  REQUIRE(to);
  auto compute = Commands::create(device, device->compute()), transfer = Commands::create(device, device->transfer());
  REQUIRE(compute);
  REQUIRE(transfer);
  for (uint32_t word = 1; word < 4; ++word) {
    REQUIRE((*compute)->begin());
    (*compute)->barrier();
    (*compute)->fill(**from, 0, 4096, word);
    const auto filled = (*compute)->submit();
    REQUIRE(filled);
    REQUIRE((*transfer)->begin());
    (*transfer)->barrier();
    (*transfer)->copy(**from, **to, 4096);
    (*transfer)->barrier_to_host();
    REQUIRE((*transfer)->submit_and_wait({&*filled, 1}));
    REQUIRE((*to)->invalidate());
    uint32_t last;
    std::memcpy(&last, (*to)->mapped().data() + 4092, 4);
    CHECK(last == word);
  }
}

TEST_CASE("gpu: a wait that runs out is an error, and the device is given up instead of destroyed under work") {
  if (!test::device()) return;  // prints why there is none
  auto device = test::open_device();
  REQUIRE(device);
  const auto late = (*device)->compute().wait(1, std::chrono::milliseconds(1));  // nothing will ever signal 1
  REQUIRE_FALSE(late);
  CHECK(late.error().message.find("did not finish") != std::string::npos);
  CHECK((*device)->given_up());
  CHECK_FALSE((*device)->compute().wait(0));
}
