import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PreviewPanel } from '../../../../extension/src/preview/panel';
import { seamscopeExtension } from './extension';
import { type Shown, shows } from './preview';

export const PROGRAM = 'workbench frames';
export const SIZE = { width: 160, height: 90 };
/** In the output "hdr": texels of each kind of value that should not be there. */
export const ANOMALIES = {
  nan: [
    [10, 20],
    [11, 20],
    [90, 70],
  ],
  inf: [[30, 40]],
  negative: [
    [50, 60],
    [51, 60],
  ],
} as const;
/** The identifier of a texel in the output "ids". */
export const idAt = (x: number, y: number) => 0xabc00000 + (x >> 4) + 16 * (y >> 4);

/** Python without packages: publishes until its standard input closes. Texel (0, 0) of "color" counts the frames. */
const script = `
import select, struct, sys, time
import seamscope
seamscope.set_program_name(${JSON.stringify(PROGRAM)})
W, H = ${SIZE.width}, ${SIZE.height}
places = ${JSON.stringify(ANOMALIES)}
color = bytearray(b"".join(bytes((x, y, 128, 255)) for y in range(H) for x in range(W)))
hdr = bytearray(b"".join(struct.pack("3f", x / 100, y / 100, 0.5) for y in range(H) for x in range(W)))
for name, value in (("nan", float("nan")), ("inf", float("inf")), ("negative", -1.0)):
    for x, y in places[name]:
        struct.pack_into("f", hdr, 12 * (y * W + x), value)
depth = bytearray(b"".join(struct.pack("f", 1 + x / 10) for y in range(H) for x in range(W)))
ids = bytearray(b"".join(struct.pack("I", 0xabc00000 + (x >> 4) + 16 * (y >> 4)) for y in range(H) for x in range(W)))
void = memoryview(struct.pack("f", float("nan")) * (H * W)).cast("B").cast("f", (H, W, 1))
frame = 0
while not select.select([sys.stdin], [], [], 0.03)[0]:
    frame += 1
    color[0] = frame & 255
    seamscope.publish("color", memoryview(color).cast("B", (H, W, 4)), kind="color")
    seamscope.publish("hdr", memoryview(hdr).cast("f", (H, W, 3)), kind="hdr")
    seamscope.publish("depth", memoryview(depth).cast("f", (H, W, 1)), kind="depth")
    seamscope.publish("ids", memoryview(ids).cast("I", (H, W, 1)), kind="id")
    seamscope.publish("void", void, kind="depth")
`;

/** Waits until the panel shows that output of the program. */
export async function chooseOutput(preview: PreviewPanel, name: string): Promise<Shown> {
  await preview.perform('output', name);
  return shows(preview, name, ({ info, source }) => source === PROGRAM && info.output === name);
}

export interface Program {
  readonly process: ChildProcess;
  /** What it has written, for a failed test. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts the program as a user would, with the module that the extension ships. */
export function startProgram(socket: string): Program {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-program-'));
  const file = path.join(folder, 'frames.py');
  writeFileSync(file, script);
  const modules = path.join(seamscopeExtension().extensionPath, 'dist/publisher');
  const env = { ...process.env, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: '1', SEAMSCOPE_SOCKET: socket };
  const child = spawn('python3', [file], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    process: child,
    output: () => text,
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
