#include "calls/variants.hpp"

#include "publish_copy_ptx.h"

namespace seamscope::measure {
namespace {

using Steps = std::vector<Step>;

Steps operator+(Steps a, const Steps& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// What the publisher has asked the driver before each copy.
Steps asking(Place& place) {
  const Driver& driver = place.driver;
  const CUstream stream = place.load->stream();
  const CUdeviceptr image = place.load->image();
  return {{"cuStreamGetCtx",
           [&driver, stream] {
             CUcontext context = nullptr;
             return static_cast<int>(driver.stream_ctx(stream, &context));
           }},
          {"cuThreadExchangeStreamCaptureMode",
           [&driver] {
             int mode = 2;
             return static_cast<int>(driver.capture_mode(&mode));
           }},
          {"cuCtxPushCurrent", [&driver, &place] { return static_cast<int>(driver.ctx_push(place.cuda->handle())); }},
          {"cuCtxGetDevice",
           [&driver] {
             int device = 0;
             return static_cast<int>(driver.ctx_device(&device));
           }},
          {"cuPointerGetAttribute", [&driver, image] {
             unsigned type = 0;
             return static_cast<int>(driver.pointer_attribute(&type, 2, image));
           }}};
}

Steps leaving(Place& place) {
  const Driver& driver = place.driver;
  return {{"cuCtxPopCurrent",
           [&driver] {
             CUcontext context = nullptr;
             return static_cast<int>(driver.ctx_pop(&context));
           }},
          {"cuThreadExchangeStreamCaptureMode", [&driver] {
             int mode = 0;
             return static_cast<int>(driver.capture_mode(&mode));
           }}};
}

Steps capture_check(Place& place) {
  const CUstream stream = place.load->stream();
  return {{"cuStreamIsCapturing", [&place, stream] {
             int status = 0;
             return static_cast<int>(place.driver.is_capturing(stream, &status));
           }}};
}

// `rows`: 1 copies the frame as one line.
Steps copy_2d(Place& place, const char* name, size_t rows) {
  return {{name, [&place, rows] {
             Copy2D copy;
             std::memset(&copy, 0, sizeof copy);
             copy.from_type = kUnified;
             copy.to_type = kDevice;
             copy.from_device = place.load->image();
             copy.to_device = place.ring->slot();
             copy.from_pitch = copy.to_pitch = copy.width_bytes = Load::kBytes / rows;
             copy.height = rows;
             return static_cast<int>(place.driver.copy_2d(&copy, place.load->stream()));
           }}};
}

Steps copy_flat(Place& place) {
  return {{"cuMemcpyAsync", [&place] {
             return static_cast<int>(
                 place.driver.copy(place.ring->slot(), place.load->image(), Load::kBytes, place.load->stream()));
           }}};
}

Steps copy_device(Place& place) {
  return {{"cuMemcpyDtoDAsync", [&place] {
             return static_cast<int>(
                 place.driver.copy_device(place.ring->slot(), place.load->image(), Load::kBytes, place.load->stream()));
           }}};
}

Steps record(Place& place) {
  return {{"cuEventRecord", [&place] {
             return static_cast<int>(place.cuda->api().cuEventRecord(place.ring->event(), place.load->stream()));
           }}};
}

Steps side_wait(Place& place) {
  return {{"cuStreamWaitEvent",
           [&place] { return static_cast<int>(place.driver.stream_wait(place.ring->side, place.ring->event(), 0)); }}};
}

void done(void* argument) {
  static_cast<std::atomic<int>*>(argument)->fetch_add(1);
}

Steps host_function(Place& place) {
  static std::atomic<int> count;
  return {{"cuLaunchHostFunc",
           [&place] { return static_cast<int>(place.driver.host_function(place.ring->side, done, &count)); }}};
}

Steps write_flag(Place& place) {
  return {{"cuStreamWriteValue32", [&place] {
             const Ring& ring = *place.ring;
             return static_cast<int>(
                 place.driver.write_value(place.load->stream(), ring.flag_there(ring.index()), ring.number(), 0));
           }}};
}

Steps set_flag(Place& place) {
  return {{"cuMemsetD32Async", [&place] {
             const Ring& ring = *place.ring;
             return static_cast<int>(
                 place.driver.set(ring.flag_there(ring.index()), ring.number(), 1, place.load->stream()));
           }}};
}

Steps wake(Place& place) {
  return {{"waking a thread (eventfd)",
           [&place] { return place.ring->watcher.expect(place.ring->flag(), place.ring->number()); }}};
}

Steps wake_without_flag(Place& place) {
  return {{"waking a thread (eventfd)", [&place] { return place.ring->watcher.expect(nullptr, 0); }}};
}

Steps launch(Place& place) {
  return {{"cuGraphLaunch", [&place] {
             return static_cast<int>(
                 place.driver.graph_launch(place.graphs[place.ring->index()], place.load->stream()));
           }}};
}

// Copies and sets the flag in one launch.
Steps copy_kernel(Place& place) {
  return {{"cuLaunchKernel", [&place] {
             constexpr unsigned kBlocks = 256, kThreads = 256;
             const Ring& ring = *place.ring;
             CUdeviceptr to = ring.slot(), from = place.load->image(), flag = ring.flag_there(ring.index());
             unsigned long long bytes = Load::kBytes;
             uint32_t counter = ring.index(), value = ring.number();
             void* parameters[] = {&to, &from, &bytes, &counter, &flag, &value};
             return static_cast<int>(place.cuda->api().cuLaunchKernel(place.copy_kernel, kBlocks, 1, 1, kThreads, 1, 1,
                                                                      0, place.load->stream(), parameters, nullptr));
           }}};
}

bool add_copy(const Place& place, void* graph, uint32_t slot, void** node) {
  Copy3D copy;
  std::memset(&copy, 0, sizeof copy);
  copy.from_type = copy.to_type = kDevice;
  copy.from_device = place.load->image();
  copy.to_device = place.ring->slot(slot);
  copy.from_pitch = copy.to_pitch = copy.width_bytes = Load::kBytes / Load::kHeight;
  copy.from_height = copy.to_height = copy.height = Load::kHeight;
  copy.depth = 1;
  return place.driver.graph_add_copy(node, graph, nullptr, 0, &copy, place.cuda->handle()) == 0;
}

// A graph cannot count: the flag gets one value for ever.
bool add_write(const Place& place, void* graph, uint32_t slot, void* after) {
  MemoryOperation operation;
  std::memset(&operation, 0, sizeof operation);
  operation.write.operation = kWriteValue32;
  operation.write.address = place.ring->flag_there(slot);
  operation.write.value = 1;
  const MemoryOperations operations = {place.cuda->handle(), 1, &operation, 0};
  void* node = nullptr;
  return place.driver.graph_add_write(&node, graph, &after, 1, &operations) == 0;
}

void* make_graph(const Place& place, uint32_t slot) {
  const Driver& driver = place.driver;
  void *graph = nullptr, *node = nullptr, *executable = nullptr;
  if (driver.graph_create(&graph, 0) != 0) return nullptr;
  const bool made = add_copy(place, graph, slot, &node) && add_write(place, graph, slot, node) &&
                    driver.graph_instantiate(&executable, graph, 0) == 0;
  driver.graph_destroy(graph);
  return made ? executable : nullptr;
}

bool make_graphs(Place& place) {
  const Driver& driver = place.driver;
  if (!driver.graph_launch || !driver.graph_add_write || !driver.graph_instantiate || !place.ring->has_flags())
    return false;
  for (uint32_t slot = 0; slot < Ring::kSlots; ++slot) {
    void* executable = make_graph(place, slot);
    if (!executable) return false;
    place.graphs.push_back(executable);
    if (driver.graph_upload) driver.graph_upload(executable, place.load->stream());
  }
  place.load->finish();
  return true;
}

}  // namespace

Result<std::unique_ptr<Place>> make_place() {
  auto place = std::make_unique<Place>();
  auto cuda = interop::CudaContext::create(0);
  if (!cuda) return cuda.error();
  place->cuda = std::move(*cuda);
  place->load = std::make_unique<Load>(place->cuda);
  place->ring = std::make_unique<Ring>(place->cuda, place->driver);
  if (auto opened = place->load->open(); !opened) return opened.error();
  if (auto opened = place->ring->open(Load::kBytes); !opened) return opened.error();
  return place;
}

void load_copy_kernel(Place& place, double frame_ms) {
  const auto& api = place.cuda->api();
  for (double queued = 0; queued < Place::kBusyMs; queued += std::max(frame_ms, 0.1)) place.load->queue_frame();
  const auto begin = std::chrono::steady_clock::now();
  cuda::CUmodule module = nullptr;
  if (api.cuModuleLoadData(&module, publish_copy_ptx) != cuda::CUDA_SUCCESS ||
      api.cuModuleGetFunction(&place.copy_kernel, module, "publish_copy") != cuda::CUDA_SUCCESS)
    place.copy_kernel = nullptr;
  if (place.copy_kernel) copy_kernel(place).front().run();
  place.load_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  place.load->finish();
}

std::vector<Variant> make_variants(Place& place) {
  const bool flags = place.driver.write_value && place.ring->has_flags(), graphs = make_graphs(place);
  const char* no_flags = flags ? nullptr : "cuStreamWriteValue32_v2 or registered host memory";
  const char* no_kernel = place.copy_kernel ? no_flags : "a compiler for PTX";
  const char* no_copy = place.driver.copy ? nullptr : "cuMemcpyAsync";
  const Steps check = capture_check(place), around = leaving(place);
  const Steps two_d = copy_2d(place, "cuMemcpy2DAsync", Load::kHeight);
  const Steps told = record(place) + side_wait(place) + host_function(place);
  const Steps flag = write_flag(place) + wake(place);
  return {
      {"as published before: all questions, event, side stream, host function",
       asking(place) + check + two_d + told + around, nullptr},
      {"no questions; event, side stream, host function", check + two_d + told, nullptr},
      {"all questions; flag on the program's stream", asking(place) + check + two_d + flag + around, no_flags},
      {"no questions; flag on the program's stream", check + two_d + flag, no_flags},
      {"the same, one row", check + copy_2d(place, "cuMemcpy2DAsync", 1) + flag, no_flags},
      {"the same, cuMemcpyAsync", check + copy_flat(place) + flag, no_copy ? no_copy : no_flags},
      {"the same, cuMemcpyDtoDAsync", check + copy_device(place) + flag, no_copy ? no_copy : no_flags},
      {"no questions; flag by cuMemsetD32Async", check + two_d + set_flag(place) + wake(place),
       place.driver.set ? no_flags : "cuMemsetD32Async"},
      {"no questions; event alone, to be asked for", check + two_d + record(place) + wake_without_flag(place), nullptr},
      {"no questions; a kernel copies and sets the flag", check + copy_kernel(place) + wake(place), no_kernel},
      {"the same, nobody to wake", check + copy_kernel(place), no_kernel},
      {"one graph of copy and flag", check + launch(place) + wake_without_flag(place),
       graphs ? nullptr : "graphs with memory operations"},
  };
}

}  // namespace seamscope::measure
