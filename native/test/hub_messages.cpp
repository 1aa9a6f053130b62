// The parser of publishers' messages and the check of frame descriptions, against random and mutated input.

#include <random>

#include "frames/message.hpp"
#include "frames/slot_desc.hpp"
#include "hub_fixture.hpp"

using namespace seamscope;
using namespace seamscope::test;
using namespace seamscope::frames;

namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
Bytes bytes_of(const T& message) {
  const auto bytes = std::as_bytes(std::span(&message, 1));
  return {bytes.begin(), bytes.end()};
}

struct Valid {
  Bytes bytes;
  size_t fds;
};

std::vector<Valid> valid_messages() {
  const auto answer = [](uint16_t type) { return bytes_of(message_of<seamscope_ring_answer>(type)); };
  auto output = message_of<seamscope_output_message>(SEAMSCOPE_OUTPUT);
  output.desc = rgba(8, 4);
  auto gpu = TestPublisher::host_ring(3, 1, 4, 4096);
  gpu.memory = SEAMSCOPE_MEMORY_CUDA;
  return {{bytes_of(TestPublisher::hello_of("fuzz")), 1},
          {bytes_of(output), 0},
          {bytes_of(TestPublisher::host_ring(3, 1, 4, 4096)), 1},
          {bytes_of(gpu), 4},
          {bytes_of(message_of<seamscope_status>(SEAMSCOPE_STATUS)), 0},
          {answer(SEAMSCOPE_DOORBELL), 0},
          {answer(SEAMSCOPE_OUTPUT_GONE), 0}};
}

// Whatever the parser lets through keeps its promises.
void check_promises(const Message& message) {
  if (const auto* refusal = std::get_if<Refusal>(&message)) {
    const bool known = refusal->code == SEAMSCOPE_REFUSED_MESSAGE || refusal->code == SEAMSCOPE_REFUSED_VERSION;
    CHECK((known && !refusal->reason.empty()));
  } else if (const auto* hello = std::get_if<seamscope_hello>(&message)) {
    CHECK(std::memchr(hello->name, 0, sizeof hello->name));
    CHECK(std::memchr(hello->visible_devices, 0, sizeof hello->visible_devices));
  } else if (const auto* output = std::get_if<seamscope_output_message>(&message)) {
    CHECK((output->output < SEAMSCOPE_MAX_OUTPUTS && std::memchr(output->name, 0, sizeof output->name)));
  } else if (const auto* ring = std::get_if<seamscope_ring>(&message)) {
    CHECK((ring->output < SEAMSCOPE_MAX_OUTPUTS && ring->slot_count >= 1 && ring->slot_count <= SEAMSCOPE_MAX_SLOTS));
    static_cast<void>(check_ring(*ring));
  } else if (const auto* bell = std::get_if<Doorbell>(&message)) {
    CHECK(bell->output < SEAMSCOPE_MAX_OUTPUTS);
  } else if (const auto* status = std::get_if<seamscope_status>(&message)) {
    CHECK((status->output < SEAMSCOPE_MAX_OUTPUTS || status->output == kAllOutputs));
    CHECK(std::memchr(status->text, 0, sizeof status->text));
  }
}

void mutate(Bytes& bytes, std::mt19937& random) {
  const auto any = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
  constexpr uint32_t kEdges[] = {0, 1, 7, 8, 9, 127, 128, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  switch (any(4)) {
    case 0:
      bytes[any(bytes.size())] ^= std::byte(1 << any(8));
      break;
    case 1:
      if (bytes.size() >= 4) std::memcpy(bytes.data() + any(bytes.size() / 4) * 4, &kEdges[any(std::size(kEdges))], 4);
      break;
    case 2:
      bytes.resize(1 + any(SEAMSCOPE_MAX_MESSAGE + 8));
      break;
    default:
      std::fill(bytes.begin() + static_cast<ptrdiff_t>(any(bytes.size())), bytes.end(), std::byte(any(256)));
  }
}

}  // namespace

TEST_CASE("valid messages are understood") {
  for (const Valid& valid : valid_messages()) {
    CHECK_FALSE(std::holds_alternative<Refusal>(parse_message(valid.bytes, valid.fds)));
    CHECK(std::holds_alternative<Refusal>(parse_message(valid.bytes, valid.fds + 1)));
    for (size_t size = 0; size < valid.bytes.size(); ++size)
      REQUIRE(std::holds_alternative<Refusal>(parse_message(std::span(valid.bytes).first(size), valid.fds)));
  }
}

TEST_CASE("200,000 random messages and 200,000 mutated ones") {
  std::mt19937 random(20240917);
  const auto valid = valid_messages();
  size_t understood = 0;
  for (int i = 0; i < 400000; ++i) {
    Bytes bytes;
    if (i % 2 == 0) {
      bytes.resize(random() % (SEAMSCOPE_MAX_MESSAGE + 2));
      for (auto& byte : bytes) byte = std::byte(random());
    } else {
      bytes = valid[random() % valid.size()].bytes;
      for (auto times = random() % 4; times > 0; --times) mutate(bytes, random);
    }
    const Message message = parse_message(bytes, random() % 10);
    check_promises(message);
    understood += !std::holds_alternative<Refusal>(message);
  }
  CHECK(understood > 1000);  // the mutations reach beyond the header
}

TEST_CASE("a live hub survives 2,000 mutated packets") {
  const HubFixture fixture;
  std::mt19937 random(20240918);
  const auto valid = valid_messages();
  auto publisher = std::make_unique<TestPublisher>(fixture.hub->path());
  for (int i = 0; i < 2000; ++i) {
    Bytes bytes = valid[random() % valid.size()].bytes;
    if (random() % 3) mutate(bytes, random);
    const std::vector<int> fds(random() % 10, publisher->control_fd());
    if (publisher->send_bytes(bytes.data(), bytes.size(), fds)) continue;
    publisher = std::make_unique<TestPublisher>(fixture.hub->path());
    if (random() % 2) publisher->hello("fuzz");
  }
  Watched watched(fixture);
  REQUIRE(watched.publisher.publish(rgba(8, 4), std::byte{4}));
  CHECK(watched.newest()->number() == 1);
}

TEST_CASE("descriptions that pass stay inside their slot: 500,000 random ones") {
  std::mt19937_64 random(20240919);
  constexpr uint64_t kSlot = 1 << 20;
  const auto stride = [&]() -> uint64_t {
    constexpr uint64_t kEdges[] = {0, 1, 4, 1024, kSlot - 1, kSlot, kSlot + 1, UINT64_MAX / 2, UINT64_MAX};
    return random() % 3 ? random() % 4096 : kEdges[random() % std::size(kEdges)];
  };
  const auto count = [&]() -> uint32_t {
    return random() % 4 ? static_cast<uint32_t>(random() % 64) : static_cast<uint32_t>(random());
  };
  size_t passed = 0;
  for (int i = 0; i < 500000; ++i) {
    seamscope_frame_desc desc{};
    desc.width = count(), desc.height = count(), desc.channels = 1 + count() % 8, desc.batch = 1 + count() % 3;
    desc.dtype = static_cast<uint32_t>(random() % 16);
    desc.kind = static_cast<uint32_t>(random() % 8);
    desc.offset = stride(), desc.row_stride = stride(), desc.pixel_stride = stride();
    desc.channel_stride = stride(), desc.batch_stride = stride();
    const auto frame = check_desc(desc, kSlot);
    if (!frame) continue;
    ++passed;
    __extension__ using Wide = unsigned __int128;
    const bool packed = desc.dtype >= SEAMSCOPE_R11G11B10F;
    const Wide end =
        Wide{desc.offset} + Wide{desc.width - 1} * desc.pixel_stride + Wide{desc.height - 1} * desc.row_stride +
        (packed ? 0 : Wide{desc.channels - 1} * desc.channel_stride) + Wide{desc.batch - 1} * desc.batch_stride + 1;
    CHECK((end <= kSlot && desc.width && desc.height && frame->offset + frame->bytes <= kSlot));
  }
  CHECK(passed > 1000);
}
