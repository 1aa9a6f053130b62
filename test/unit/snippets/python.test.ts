import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, hasCommand, run, sources } from './tools';

const noPython = hasCommand('python3') ? undefined : 'no python3';

describe('Python snippets', () => {
  it('parse', async ({ skip }) => {
    if (noPython) skip(noPython);
    const files = filesOf('python', '.py').map((name) => path.join(sources, 'python', name));
    const parse = 'import ast, pathlib, sys\nfor name in sys.argv[1:]: ast.parse(pathlib.Path(name).read_text(), name)';
    expect(files.length).toBeGreaterThan(10);
    expect(await run('python3', ['-W', 'error', '-c', parse, ...files])).toEqual({ code: 0, output: '' });
  });

  it('keep the order of wait, work, event and unmap (run with recording stand-ins)', async ({ skip }) => {
    if (noPython) skip(noPython);
    const { code, output } = await run('python3', ['-B', path.join(__dirname, 'programs/order.py'), path.join(sources, 'python')]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^(?:ok \w+\n){14}$/) });
  });
});
