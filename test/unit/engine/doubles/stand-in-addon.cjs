// A stand-in for the native addon, for tests of the process and its protocol: it draws no picture and asks no driver.
// SEAMSCOPE_STAND_IN is JSON: { protocolVersion, pictureBytes, hangOnClose, crashAfter, noise, saveHangs, nvmlHangs }.
const options = JSON.parse(process.env.SEAMSCOPE_STAND_IN ?? '{}');
if (options.noise) process.stderr.write(options.noise);

const stats = { min: 0, max: 1, nan: 0, inf: 0, negative: 0 };
const never = () => new Promise((resolve) => setInterval(resolve, 2 ** 30));

class View {
  #id;
  #params;
  #onFrame;
  #credits = 0;
  #sequence = 0;
  #closed = false;

  constructor(id, params, onFrame, onFailed) {
    this.#id = id;
    this.#params = JSON.parse(params);
    this.#onFrame = onFrame;
    if (this.#params.output === 'broken') setImmediate(() => onFailed('The device was lost.', 'Restart the engine.'));
  }

  #draw() {
    if (this.#closed || this.#credits === 0) return;
    this.#credits--;
    const sequence = ++this.#sequence;
    if (options.crashAfter === sequence) process.kill(process.pid, 'SIGSEGV');
    const { width, height, output, encoding } = this.#params;
    const info = {
      viewId: this.#id,
      sequence,
      frame: sequence * 2,
      output,
      width,
      height,
      encoding,
      lossless: false,
      frameWidth: width,
      frameHeight: height,
      stats,
    };
    const rest = { producedAt: 0, times: { render: 1, ingest: 1, view: 1, encode: 1 }, dropped: sequence - 1 };
    this.#onFrame(JSON.stringify({ ...info, ...rest }), Buffer.alloc(options.pictureBytes ?? width * height * 4, sequence));
    setImmediate(() => this.#draw());
  }

  update(params) {
    this.#params = JSON.parse(params);
  }
  credit(count) {
    this.#credits += count;
    setImmediate(() => this.#draw());
  }
  pause() {}
  async pixel(x, y) {
    return JSON.stringify({ x, y, frame: 1, values: [1], hex: ['01'] });
  }
  async save(file) {
    require('node:fs').writeFileSync(file, 'picture');
    return { bytes: 7, frame: 2 };
  }
  async close() {
    this.#closed = true;
    if (options.hangOnClose) await never();
  }
}

const output = { name: 'color', kind: 'color', width: 64, height: 32, channels: 4, dtype: 'u8', colorSpace: 'srgb' };
let openScenes = 0;

module.exports = {
  protocolVersion: options.protocolVersion ?? 1,
  buildInfo: 'stand-in',
  takeStdout: () => 1,
  probe: () =>
    JSON.stringify({
      version: 1,
      takenAt: '',
      environment: { variables: {}, container: false, wsl: false, icdFiles: [] },
      libraries: [],
      vulkan: { available: true, devices: [] },
      cuda: { available: false, devices: [] },
      nvml: { available: false, gpus: [] },
      matches: [],
    }),
  nvml: async () => JSON.stringify({ available: false, gpus: [] }),
  nvmlPoll: async () => (options.nvmlHangs ? never() : JSON.stringify({ available: false, gpus: [], generation: '', cost: { cpuMs: 0, wallMs: 0 } })),
  driverCall: () => (options.nvmlHangs ? 'nvmlDeviceGetTemperature' : ''),
  nvmlClose: () => {},
  openScene: async ({ device }) => {
    if (device === 'none') throw Object.assign(new Error('There is no such device.'), { nextStep: 'Choose another one.' });
    openScenes++;
    return {
      describe: () =>
        JSON.stringify({
          id: 'scene',
          label: 'Stand-in',
          kind: 'scene',
          device: `${device}, ${openScenes} open`,
          outputs: [output, { ...output, name: 'broken' }, { ...output, name: 'depth', kind: 'depth', dtype: 'f32' }],
        }),
      gpuMemoryBytes: () => 1000,
      openView: (id, params, onFrame, onFailed) => new View(id, params, onFrame, onFailed),
      close: async () => {
        openScenes--;
      },
    };
  },
};
