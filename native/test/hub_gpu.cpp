// Rings in GPU memory, with a Vulkan device of the test's own as the publisher.

#include "hub_exporter.hpp"
#include "hub_fixture.hpp"
#include "interop/fd_table.hpp"

using namespace seamscope;
using namespace seamscope::test;
using frames::OutputState;

namespace {

constexpr uint32_t kWidth = 64, kHeight = 16;
constexpr uint64_t kBytes = uint64_t{kWidth} * kHeight * 4;

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
  Exporter exporter{exporting_device(), {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  const auto source = fixture.open("pub:test");
  source->want(Watched::only, 30);
  const auto round = [&](uint32_t generation) {
    seamscope_ring ring;
    const auto answer = [&] {
      const auto fds = exporter.make(ring, generation, 3, kBytes);
      return offering.offer(ring, fds);
    }();
    REQUIRE(answer.header.type == SEAMSCOPE_RING_ACCEPTED);
    if (generation > 1) CHECK(offering.publisher.answered(SEAMSCOPE_RING_RELEASED));
    for (uint32_t slot = 0; slot < 3; ++slot) {
      exporter.slots[slot]->write(std::vector<std::byte>(kBytes, std::byte(generation * 10 + slot)));
      offering.mark_ready(generation, slot, generation * 3 + slot);
      auto frame = source->render(0, Watched::only);
      REQUIRE(frame);
      REQUIRE(*frame);
      const auto bytes = *(*frame)->host_bytes(0);
      CHECK(bytes.size() == kBytes);
      CHECK(std::count(bytes.begin(), bytes.end(), std::byte(generation * 10 + slot)) == kBytes);
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
  Exporter exporter{exporting_device(), {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  seamscope_ring ring;
  const auto fds = exporter.make(ring, 1, 1, kBytes);
  REQUIRE(offering.offer(ring, fds).header.type == SEAMSCOPE_RING_ACCEPTED);
  std::vector<std::byte> written(kBytes);
  for (uint32_t i = 0; i < kBytes; ++i) written[i] = std::byte(i * 7 + i / 256);
  exporter.slots[0]->write(written);
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
  CHECK(std::memcmp(bytes.data(), written.data() + 13, bytes.size()) == 0);
}

TEST_CASE("a frame larger than the pinned memory comes through a part at a time") {
  Exporter exporter{exporting_device(), {}};
  if (!exporter.device) return;
  const HubFixture fixture({"", "", 0, nullptr, 1000});  // which divides nothing here
  Offering offering(fixture.hub->path());
  seamscope_ring ring;
  const auto fds = exporter.make(ring, 1, 1, kBytes);
  REQUIRE(offering.offer(ring, fds).header.type == SEAMSCOPE_RING_ACCEPTED);
  std::vector<std::byte> written(kBytes);
  for (uint32_t i = 0; i < kBytes; ++i) written[i] = std::byte(i * 7 + i / 256);
  exporter.slots[0]->write(written);
  offering.mark_ready(1, 0, 1);
  const auto source = fixture.open("pub:test");
  const auto frame = source->render(0, Watched::only);
  REQUIRE(frame);
  REQUIRE(*frame);
  const auto bytes = *(*frame)->host_bytes(0);
  REQUIRE(bytes.size() == kBytes);
  CHECK(std::memcmp(bytes.data(), written.data(), kBytes) == 0);
}

TEST_CASE("GPU memory of another device, another driver or of nobody is refused by name, host memory is taken next") {
  Exporter exporter{exporting_device(), {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  uint32_t generation = 0;
  const auto refused = [&](auto change) {
    seamscope_ring ring;
    const auto fds = exporter.make(ring, ++generation, 2, kBytes);
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
  CHECK(refused([](seamscope_ring& ring) { ring.memory_type_index = 31; }) == SEAMSCOPE_REFUSED_IMPORT);
  CHECK(fixture.output("pub:test")->state == OutputState::Refused);
  REQUIRE(offering.publisher.offer(TestPublisher::host_ring(0, ++generation, 2, 4096)));
  CHECK(offering.publisher.answered(SEAMSCOPE_RING_ACCEPTED));
}

TEST_CASE("descriptors that are no GPU memory are refused and closed") {
  Exporter exporter{exporting_device(), {}};
  if (!exporter.device) return;
  const HubFixture fixture;
  Offering offering(fixture.hub->path());
  uint32_t generation = 0;
  const auto refused = [&](const UniqueFd& fd) {
    seamscope_ring ring;
    exporter.make(ring, ++generation, 3, kBytes);
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
  Exporter exporter{exporting_device(), {}};
  if (!exporter.device) return;
  const HubFixture fixture({"", "", 0, lose_device});
  std::unique_ptr<frames::PublishedSource> source;
  {
    Offering offering(fixture.hub->path());
    seamscope_ring ring;
    const auto fds = exporter.make(ring, 1, 1, kBytes);
    REQUIRE(offering.offer(ring, fds).header.type == SEAMSCOPE_RING_ACCEPTED);
    offering.mark_ready(1, 0, 1);
    source = fixture.open("pub:test");
    const auto frame = source->render(0, Watched::only);
    REQUIRE(frame);  // no error for whoever looks
    CHECK(*frame == nullptr);
    const auto answer = offering.publisher.answer();
    REQUIRE(answer);
    CHECK(answer->header.type == SEAMSCOPE_REFUSED);
    CHECK(answer->code == SEAMSCOPE_REFUSED_QUARANTINE);
  }
  Offering again(fixture.hub->path());
  seamscope_ring ring;
  const auto fds = exporter.make(ring, 1, 1, kBytes);
  CHECK(again.offer(ring, fds).code == SEAMSCOPE_REFUSED_QUARANTINE);
  REQUIRE(again.publisher.offer(TestPublisher::host_ring(0, 2, 2, kBytes)));
  REQUIRE(again.publisher.answered(SEAMSCOPE_RING_ACCEPTED));
  REQUIRE(again.publisher.publish(rgba(kWidth, kHeight), std::byte{6}));
  const auto frame = source->render(0, Watched::only);
  REQUIRE(frame);
  REQUIRE(*frame);
  CHECK((*frame)->host_bytes(0)->front() == std::byte{6});
}
