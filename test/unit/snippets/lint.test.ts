import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root, run, sources } from './tools';

it('the linter has nothing to say about the snippets', async ({ skip }) => {
  const cli = path.join(root, 'dist/cli.js');
  if (!existsSync(cli)) skip('dist/cli.js is missing: npm run build');
  expect(await run(process.execPath, [cli, 'lint', '--preview', sources])).toMatchObject({ code: 0 });
});
