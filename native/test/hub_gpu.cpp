// Rings in GPU memory, with a Vulkan device of the test's own as the publisher.

#include "gpu/shared_instance.hpp"
#include "hub_fixture.hpp"
#include "interop/fd_table.hpp"
#include "interop/vulkan_memory.hpp"

using namespace seamscope;
using namespace seamscope::test;
using frames::OutputState;
using interop::VulkanMemory;

namespace {

constexpr uint32_t kWidth = 64, kHeight = 16;

// The exporting side: host-visible exportable buffers, so that the test can write them in place.
struct Exporter {
  std::shared_ptr<gpu::Device> device;
  interop::Ledger ledger;
  std::vector<std::unique_ptr<VulkanMemory>> slots;

  // Nothing, with the reason printed, where no device exports.
  static std::shared_ptr<gpu::Device> open() {
    auto instance = gpu::shared_instance();
    if (!instance) {
      MESSAGE("skipped: " << instance.error().message);
      return nullptr;
    }
    gpu::DeviceOptions options;
    options.extensions = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
    auto device = gpu::Device::create(*instance, std::nullopt, options);
    if (device) return *device;
    MESSAGE("skipped: " << device.error().message);
    return nullptr;
  }

  std::vector<UniqueFd> export_slots(uint32_t count, seamscope_ring& ring) {
    std::vector<UniqueFd> fds;
    for (uint32_t i = 0; i < count; ++i) {
      interop::VulkanMemoryDesc desc;
      desc.shape = {kWidth, kHeight};
      desc.host_visible = true;
      auto memory = VulkanMemory::create_exportable(device, ledger, desc);
      REQUIRE(memory);
      auto handover = (*memory)->export_memory();
      REQUIRE(handover);
      ring.allocation_size = handover->size;
      fds.emplace_back(handover->fd.release());
      slots.push_back(*std::move(memory));
    }
    return fds;
  }

  seamscope_ring ring(uint32_t generation, uint32_t count) const {
    auto ring = message_of<seamscope_ring>(SEAMSCOPE_RING);
    ring.generation = generation;
    ring.memory = SEAMSCOPE_MEMORY_VULKAN;
    ring.slot_count = count;
    ring.slot_size = kWidth * kHeight * 4;
    ring.flags = SEAMSCOPE_HAS_DEVICE_UUID | SEAMSCOPE_HAS_DRIVER_UUID;
    std::memcpy(ring.device_uuid, device->info().uuid.data(), 16);
    std::memcpy(ring.driver_uuid, device->info().driver_uuid.data(), 16);
    return ring;
  }
};

// A greeted publisher with a watched output, and nothing offered yet.
struct Offering {
  explicit Offering(const std::string& path) : publisher(path) {
    REQUIRE(publisher.hello("test"));
    REQUIRE(publisher.answered(SEAMSCOPE_WELCOME));
    REQUIRE(publisher.output(0, "color", rgba(kWidth, kHeight)));
  }
  TestPublisher::Answer offer(const seamscope_ring& ring, const std::vector<UniqueFd>& fds) {
    std::vector<int> numbers;
    for (const UniqueFd& fd : fds) numbers.push_back(fd.get());
    REQUIRE(publisher.send(ring, numbers));
    const auto answer = publisher.answer(20000);  // a driver may have to start
    REQUIRE(answer);
    return *answer;
  }
  void mark_ready(uint32_t generation, uint32_t slot, uint64_t frame) {
    auto& header = publisher.slot_of(0, generation, slot);
    header.generation = generation;
    header.frame = frame;
    header.desc = rgba(kWidth, kHeight);
    publisher.state(0, generation, slot) = SEAMSCOPE_SLOT_READY;
  }
  TestPublisher publisher;
};

std::vector<UniqueFd> copies_of(int fd, uint32_t count) {
  std::vector<UniqueFd> fds;
  for (uint32_t i = 0; i < count; ++i) fds.emplace_back(dup(fd));
  return fds;
}

void lose_device(VolkDeviceTable& table) {
  table.vkQueueSubmit = [](VkQueue, uint32_t, const VkSubmitInfo*, VkFence) { return VK_ERROR_DEVICE_LOST; };
}

}  // namespace

TEST_CASE("frames come out of imported Vulkan memory, and the descriptors are gone") {
  Exporter exporter{Exporter::open(), {}, {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  const auto source = fixture.open("pub:test");
  source->want(Watched::only, 30);
  const auto round = [&](uint32_t generation) {
    seamscope_ring ring = exporter.ring(generation, 3);
    const auto answer = [&] {
      const auto fds = exporter.export_slots(3, ring);
      return offering.offer(ring, fds);
    }();
    REQUIRE(answer.header.type == SEAMSCOPE_RING_ACCEPTED);
    if (generation > 1) CHECK(offering.publisher.answered(SEAMSCOPE_RING_RELEASED));
    for (uint32_t slot = 0; slot < 3; ++slot) {
      auto mapped = exporter.slots[exporter.slots.size() - 3 + slot]->map();
      REQUIRE(mapped);
      std::memset(*mapped, static_cast<int>(generation * 10 + slot), kWidth * kHeight * 4);
      offering.mark_ready(generation, slot, generation * 3 + slot);
      auto frame = source->render(0, Watched::only);
      REQUIRE(frame);
      REQUIRE(*frame);
      const auto bytes = *(*frame)->host_bytes(0);
      CHECK(bytes.size() == kWidth * kHeight * 4);
      CHECK(std::count(bytes.begin(), bytes.end(), std::byte(generation * 10 + slot)) == kWidth * kHeight * 4);
    }
  };
  round(1);
  CHECK(fixture.output("pub:test")->path.find("memory of") != std::string::npos);
  round(2);
  const size_t before = interop::open_fd_count();
  for (uint32_t generation = 3; generation < 20; ++generation) round(generation);
  CHECK(interop::open_fd_count() == before);
}

TEST_CASE("a part of a slot, from an offset that nothing is aligned to") {
  Exporter exporter{Exporter::open(), {}, {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  seamscope_ring ring = exporter.ring(1, 1);
  const auto fds = exporter.export_slots(1, ring);
  REQUIRE(offering.offer(ring, fds).header.type == SEAMSCOPE_RING_ACCEPTED);
  auto mapped = exporter.slots[0]->map();
  REQUIRE(mapped);
  for (uint32_t i = 0; i < kWidth * kHeight * 4; ++i) (*mapped)[i] = std::byte(i * 7 + i / 256);
  auto& header = offering.publisher.slot_of(0, 1, 0);
  header.generation = 1;
  header.frame = 1;
  header.desc = rgba(5, 3);
  header.desc.channels = 3;
  header.desc.offset = 13;
  header.desc.pixel_stride = 3;
  header.desc.row_stride = 101;
  offering.publisher.state(0, 1, 0) = SEAMSCOPE_SLOT_READY;
  const auto source = fixture.open("pub:test");
  const auto frame = source->render(0, Watched::only);
  REQUIRE(frame);
  REQUIRE(*frame);
  const auto bytes = *(*frame)->host_bytes(0);
  REQUIRE(bytes.size() == 2 * 101 + 4 * 3 + 3);
  CHECK(std::memcmp(bytes.data(), *mapped + 13, bytes.size()) == 0);
}

TEST_CASE("GPU memory of another device, another driver or of nobody is refused by name, host memory is taken next") {
  Exporter exporter{Exporter::open(), {}, {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  uint32_t generation = 0;
  const auto refused = [&](auto change) {
    seamscope_ring ring = exporter.ring(++generation, 2);
    const auto fds = exporter.export_slots(2, ring);
    change(ring);
    const auto answer = offering.offer(ring, fds);
    CHECK(answer.header.type == SEAMSCOPE_RING_REFUSED);
    CHECK_FALSE(answer.reason.empty());
    return answer.code;
  };
  CHECK(refused([](seamscope_ring& ring) { ring.driver_uuid[3] ^= 1; }) == SEAMSCOPE_REFUSED_DEVICE);
  CHECK(refused([](seamscope_ring& ring) { ring.device_uuid[3] ^= 1; }) == SEAMSCOPE_REFUSED_DEVICE);
  CHECK(refused([](seamscope_ring& ring) { ring.flags = SEAMSCOPE_HAS_DEVICE_UUID; }) == SEAMSCOPE_REFUSED_DEVICE);
  CHECK(refused([](seamscope_ring& ring) { ring.memory = SEAMSCOPE_MEMORY_CUDA, ring.flags = 0; }) ==
        SEAMSCOPE_REFUSED_DEVICE);
  CHECK(refused([](seamscope_ring& ring) { ring.allocation_size = ring.slot_size - 1; }) == SEAMSCOPE_REFUSED_MEMORY);
  CHECK(refused([](seamscope_ring& ring) { ring.slot_size = ring.allocation_size = 4; }) != 0);  // the fds hold more
  CHECK(fixture.output("pub:test")->state == OutputState::Refused);
  REQUIRE(offering.publisher.offer(TestPublisher::host_ring(0, ++generation, 2, 4096)));
  CHECK(offering.publisher.answered(SEAMSCOPE_RING_ACCEPTED));
}

TEST_CASE("descriptors that are no GPU memory are refused and closed") {
  Exporter exporter{Exporter::open(), {}, {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  uint32_t generation = 0;
  const auto refused = [&](const UniqueFd& fd) {
    seamscope_ring ring = exporter.ring(++generation, 3);
    ring.allocation_size = ring.slot_size;
    const auto answer = offering.offer(ring, copies_of(fd.get(), 3));
    CHECK(answer.header.type == SEAMSCOPE_RING_REFUSED);
    return answer.code;
  };
  CHECK(refused(memory_of(1 << 20)) == SEAMSCOPE_REFUSED_IMPORT);
  const size_t before = interop::open_fd_count();
  CHECK(refused(memory_of(1)) == SEAMSCOPE_REFUSED_IMPORT);
  CHECK(refused(UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC))) == SEAMSCOPE_REFUSED_IMPORT);
  CHECK(refused(UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))) == SEAMSCOPE_REFUSED_IMPORT);
  CHECK(interop::open_fd_count() == before);
}

TEST_CASE("a program whose memory loses the device is told so, and its host memory is read from then on") {
  if (!Exporter::open()) return;
  char name[] = "/tmp/seamscope-hub-XXXXXX";
  const std::string folder = mkdtemp(name);
  {
    Exporter exporter{Exporter::open(), {}, {}};
    auto hub = frames::Hub::open({folder, "test", 0, lose_device});
    REQUIRE(hub);
    std::unique_ptr<frames::PublishedSource> source;
    {
      Offering offering((*hub)->path());
      seamscope_ring ring = exporter.ring(1, 1);
      const auto fds = exporter.export_slots(1, ring);
      REQUIRE(offering.offer(ring, fds).header.type == SEAMSCOPE_RING_ACCEPTED);
      offering.mark_ready(1, 0, 1);
      auto opened = (*hub)->open_source("pub:test");
      REQUIRE(opened);
      source = *std::move(opened);
      const auto frame = source->render(0, Watched::only);
      REQUIRE(frame);  // no error for whoever looks
      CHECK(*frame == nullptr);
      const auto answer = offering.publisher.answer();
      REQUIRE(answer);
      CHECK(answer->header.type == SEAMSCOPE_REFUSED);
      CHECK(answer->code == SEAMSCOPE_REFUSED_QUARANTINE);
    }
    Offering again((*hub)->path());
    seamscope_ring ring = exporter.ring(1, 1);
    const auto fds = exporter.export_slots(1, ring);
    CHECK(again.offer(ring, fds).code == SEAMSCOPE_REFUSED_QUARANTINE);
    REQUIRE(again.publisher.offer(TestPublisher::host_ring(0, 2, 2, kWidth * kHeight * 4)));
    REQUIRE(again.publisher.answered(SEAMSCOPE_RING_ACCEPTED));
    REQUIRE(again.publisher.publish(rgba(kWidth, kHeight), std::byte{6}));
    const auto frame = source->render(0, Watched::only);
    REQUIRE(frame);
    REQUIRE(*frame);
    CHECK((*frame)->host_bytes(0)->front() == std::byte{6});
  }
  std::filesystem::remove_all(folder);
}
