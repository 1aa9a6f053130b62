import { describe, expect, it } from 'vitest';
import { seamMarkdown } from '../../../helper/engine/seamtest-markdown';
import { seamTerms } from '../../../helper/protocol/seam-words';
import { failedRun } from './fixtures';
import { deviceReport, seamReport } from './report-fixture';

const text = seamMarkdown(seamReport());

describe('the report as Markdown', () => {
  it('begins with the verdict', () => {
    expect(text.split('\n').slice(0, 5)).toEqual([
      '# Seam test',
      '',
      '**Passed.** 400 frames in 12.3 s, 2026-01-02T03:04:05.000Z.',
      '',
      expect.stringMatching(/^Passed: frames cross/),
    ]);
  });

  it.each([
    ['a run with hand-off and rate', '| timeline | 1 | Vulkan (exporter) | 1 | Vulkan → CUDA | buffer | 327.0 | 3058 | 160.0 | 171.0 | 0 | 0 | 0 |'],
    ['a run that cannot be made', '| fence | 1 | partner (inverted) | 1 | Vulkan → CUDA | image | skipped |  |  |  |  |  |  |'],
    ['the reason, once', '- 1 skipped: It cannot export timeline semaphores.'],
    ['a control', '| Staging path: the frame goes through host memory | host copies | 40 | at least 20 | noticed |'],
    ['a point beside the model', '| 8 | 58.0 | 17241 | 57.'],
    ['stream synchronisation', '| 8 | Vulkan (exporter) | 90.0 | 120.0 |'],
    ['connections', '| 1 | 20.0 | 21.0 | 10.0 | blocked |'],
    ['an import', '| cuImportExternalMemory | memoryImport | 8 | 44.0 | 54.0 |'],
    [
      'prediction beside the outcome',
      '| owner first (wrong) | partner (inverted) | 1 | CUDA: allocation of slot 0 freed while used by Vulkan: import of slot 0 | crash |',
    ],
    ['the hand-off list', '**Free order**'],
  ])('has %s', (_, line) => {
    expect(text).toContain(line);
  });

  it('explains every term', () => {
    for (const { word } of seamTerms) expect(text).toContain(`- **${word}**: `);
  });

  it('claims no check of two points and no price where more slots are no faster', () => {
    const model = deviceReport().model!;
    const words = seamMarkdown(
      seamReport({ ...deviceReport(), model: { ...model, fitted: model.fitted.slice(0, 2), handoverUs: -4, switchUs: -2 } }),
    );
    expect(words).toContain('the model does not fit, more slots were no faster, R² not known from two points; switch not known, ');
    expect(text).toMatch(/frame = [\d.]+ us \+ [\d.]+ us \/ slots, R² 1\.000; switch [\d.]+ us, /);
  });

  it('says what could not be measured, and what failed', () => {
    const skipped = { skipped: 'Only CUDA has streams.' };
    const report = seamReport(deviceReport({ runs: [failedRun()], streamSync: skipped, connections: [skipped, skipped] }));
    const words = seamMarkdown(report);
    expect(words).toMatch(/^\*\*Failed\.\*\*/m);
    expect(words.match(/^Not measured: Only CUDA has streams\.$/gm)).toHaveLength(2);
    expect(words).toContain('| **cuMemCreate failed.** |');
    expect(words).not.toContain('### Throughput');
  });
});
