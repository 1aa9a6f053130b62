import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const generator = 'scripts/generate-publisher-header.mjs';

it('seamscope.h is what its parts say', async () => {
  const { generateHeader } = await import(path.join(root, generator));
  const header = readFileSync(path.join(root, 'native/publisher/seamscope.h'), 'utf8');
  expect(header === generateHeader(), `run node ${generator}`).toBe(true);
});
