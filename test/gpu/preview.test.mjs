// The built-in scene through the whole engine on the real driver: every output becomes a picture with content.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { seamscope } from './command-line.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-gpu-'));
after(() => rmSync(folder, { recursive: true }));

/** Width and height out of the header of a PNG. */
function pngSize(bytes) {
  assert.equal(bytes.subarray(1, 4).toString('latin1'), 'PNG');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

for (const output of ['color', 'hdr', 'depth', 'ids']) {
  test(`output ${output}`, () => {
    const file = path.join(folder, `${output}.png`);
    const report = seamscope('preview', '--source', 'scene', '--output', output, '--frames', '30', '--out', file, '--json');
    const bytes = readFileSync(file);
    const { width, height } = pngSize(bytes);
    assert.ok(width >= 640 && height >= 360, `${width}x${height}`);
    // A picture of one colour compresses to a few hundred bytes.
    assert.ok(bytes.length > 5_000, `${bytes.length} bytes`);
    assert.doesNotMatch(report, /llvmpipe|lavapipe|SwiftShader/i);
  });
}
