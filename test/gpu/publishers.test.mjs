// The examples of native/publisher as programs of their own, through the engine's hub and out of `seamscope preview` again: every pixel as it
// was published, over GPU memory and, with Vulkan hidden from the engine, over host memory.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { seamscope } from './command-line.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-gpu-'));
after(() => rmSync(folder, { recursive: true }));
const width = 333;
const height = 77;
const examples = [
  { program: 'host', output: 'color' },
  { program: 'vulkan', output: 'color' },
  { program: 'cuda', output: 'color' },
  { program: 'vulkan_cuda', output: 'cuda' },
  { program: 'vulkan_cuda', output: 'vulkan' },
];

/** Shape, type and bytes of an NPY file. */
function readNpy(file) {
  const bytes = readFileSync(file);
  const length = bytes.readUInt16LE(8);
  const header = bytes.subarray(10, 10 + length).toString('latin1');
  return { header, data: bytes.subarray(10 + length) };
}

/** Columns in red, rows in green, one frame number in all of blue. */
function assertPattern(file) {
  const { header, data } = readNpy(file);
  assert.match(header, /'\|u1'/);
  assert.match(header, new RegExp(`\\(${height}, ${width}, 4\\)`));
  const frame = data[2];
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      const at = (y * width + x) * 4;
      const texel = [...data.subarray(at, at + 4)];
      assert.deepEqual(texel, [x & 255, y & 255, frame, 255], `texel ${x}, ${y}`);
    }
}

/** What the engine reads with Vulkan, and without any Vulkan driver. */
const paths = [
  { title: 'GPU memory', variables: {} },
  { title: 'host memory', variables: { VK_DRIVER_FILES: '/nowhere.json', VK_ICD_FILENAMES: '/nowhere.json' } },
];

/** As seamscope(), with other variables than the program that publishes. */
function seamscopeWith(variables, ...args) {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return seamscope(...args);
  } finally {
    process.env = before;
  }
}

for (const { title, variables } of paths)
  for (const { program, output } of examples) {
    test(`${program}, output ${output}, ${title}`, (context) => {
      const file = path.resolve('native/examples', program);
      if (!existsSync(file)) return context.skip(`${file} is not in this bundle`);
      const child = spawn(file, ['--size', `${width}x${height}`, '--seconds', '120', '--rate', '120'], { stdio: 'inherit' });
      try {
        const saved = path.join(folder, `${program}-${output}.npy`);
        const report = seamscopeWith(variables, 'preview', '--source', program, '--output', output, '--frames', '30', '--out', saved, '--json');
        context.diagnostic(report.slice(0, 600));
        assertPattern(saved);
      } finally {
        child.kill('SIGKILL');
      }
    });
  }
