import { describe, expect, it } from 'vitest';
import { type ReportFacts, reportMarkdown } from '../../../../extension/src/report/report';
import { machines } from '../devices/snapshots';

const facts: ReportFacts = {
  versions: { Seamscope: '0.1.0', 'VS Code': '1.101.0' },
  engine: { state: 'running', facts: { Addon: '/a|b/seamscope.node' } },
  lint: 'started',
  snapshot: machines.lavapipe,
  settings: {},
  log: ['one', 'two'],
};

describe('the report', () => {
  it('names versions, devices with their reasons, and the log', () => {
    const text = reportMarkdown(facts);
    expect(text).toContain('| Seamscope | 0.1.0 |');
    expect(text).toContain('| – | Vulkan 0: llvmpipe (LLVM 15.0.6, 256 bits) | vulkan-only | `cpu-driver` Cause of cpu-driver. |');
    expect(text).toContain('- `cuda-library-missing` Cause of cuda-library-missing.');
    expect(text).toContain('```text\none\ntwo\n```');
    expect(text).toContain('All at their defaults.');
  });

  it('keeps tables and fences whole', () => {
    const text = reportMarkdown({ ...facts, log: ['a ```` b'] });
    expect(text).toContain('/a\\|b/seamscope.node');
    expect(text).toContain('`````text\na ```` b\n`````');
  });

  it('works when nothing started', () => {
    const text = reportMarkdown({
      ...facts,
      engine: { state: 'failed', failure: 'It crashed.', facts: {} },
      snapshot: undefined,
      settings: { 'seamscope.lint.enable': false },
      log: [],
    });
    for (const part of ['failed: It crashed.', 'No snapshot was taken.', '"seamscope.lint.enable": false', 'Empty.']) expect(text).toContain(part);
  });
});
