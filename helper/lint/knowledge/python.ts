// Python: full dotted names, and `.name` for methods of objects whose type nobody knows.
import { table } from './table';

export const pythonCalls = [
  ...table(
    'torch',
    'object',
    `
torch.cuda.Stream(device, priority) create
torch.cuda.ExternalStream(pointer, device) create
torch.cuda.Event(enable_timing, blocking, interprocess) create
torch.cuda.stream(stream) current
torch.cuda.device(device) current
torch.cuda.set_device(device) current
torch.cuda.current_stream(device) query
torch.cuda.default_stream(device) query
torch.cuda.synchronize(device) sync
torch.from_dlpack(tensor) import
torch.utils.dlpack.from_dlpack(tensor) import
torch.utils.dlpack.to_dlpack(tensor) export
torch.as_tensor(data, dtype, device) import
`,
  ),
  ...table(
    'cupy',
    'object',
    `
cupy.cuda.Stream(null, non_blocking, ptds) create
cupy.cuda.ExternalStream(pointer, device) create
cupy.cuda.Event(block, disable_timing, interprocess) create
cupy.cuda.Device(device) current
cupy.from_dlpack(tensor) import
cupy.asarray(data) import
cupy.cuda.UnownedMemory(pointer, size, owner, device) import
cupy.asnumpy(array, stream) copy sync
cupy.cuda.runtime.deviceSynchronize() sync
cupy.cuda.runtime.streamSynchronize(stream) sync
`,
  ),
  ...table(
    'warp',
    'object',
    `
warp.Stream(device, priority, cuda_stream) create
warp.Event(device, cuda_event, enable_timing) create
warp.ScopedStream(stream, sync_enter, sync_exit) current
warp.ScopedDevice(device) current
warp.get_stream(device) query
warp.set_stream(stream, device) current
warp.stream_from_torch(stream) import
warp.stream_to_torch(stream) export
warp.from_dlpack(tensor, dtype) import
warp.from_torch(tensor, dtype) import
warp.to_torch(array) export
warp.synchronize() sync
.sync() sync
.wait_for_event(event) wait
warp.synchronize_device(device) sync
warp.synchronize_stream(stream) sync
warp.synchronize_event(event) sync
warp.launch(kernel, dim, inputs, outputs) launch
warp.copy(dest, src, dest_offset, src_offset, count, stream) copy launch
warp.record_event(event) record
warp.wait_event(event) wait
warp.wait_stream(stream, event) wait
`,
  ),
  ...table(
    'python',
    'object',
    `
numpy.from_dlpack(tensor) import
os.close(fd) close
os.dup(fd) dup -> fd
os.open(path, flags) open -> fd
os.environ.setdefault(name, value)
os.putenv(name, value)
`,
  ),
];

export const pythonMethods = [
  ...table(
    'python',
    'object',
    `
.record(stream) record
.record_event(event) record
.record_stream(stream)
.wait(stream) wait
.wait_event(event) wait
.wait_stream(stream) wait
.wait_on(stream) wait
.synchronize() sync
.copy_(source, non_blocking) copy launch
.copy(stream) copy
.clone() copy
.cpu() copy sync
.numpy() copy sync
.get(stream) copy sync
.to(device) copy
.copy_to(target) copy
.copy_from(source) copy
.__dlpack__(stream) export
.close() close
.use() current
`,
  ),
  ...table(
    'ovrtx',
    'object',
    `
.map(device, sync_stream) map
.map_array(device, sync_stream) map
.unmap(event, stream) unmap
.write_attribute(name, data)
.write_array_attribute(name, data)
`,
  ),
];
