// `seamscope lint FOLDER`: what the functions of one file do is known in the others.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from './cli-harness';
import { closer, caller as main } from './two-files';

const cli = new CommandLine();

const between = '#include <cuda.h>\nvoid really(int fd);\nvoid finish(int fd) { really(fd); }\n';
const wrongEnum = `void g() {
    VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
}
`;

async function findings(root: string, ...args: string[]): Promise<string[]> {
  const { out } = await cli.run('--format=json', ...args, root);
  const report = JSON.parse(out) as { findings: { ruleId: string; file: string; line: number }[] };
  return report.findings.map(({ ruleId, file, line }) => `${path.relative(root, file)}:${line} ${ruleId}`);
}

const fault = 'a/main.cpp:6 fd/use-after-transfer';

describe('lint of a folder', () => {
  it('knows what functions of other files do, in whichever order they come', { timeout: 60_000 }, async () => {
    expect(await findings(cli.tree('after', { 'a/main.cpp': main, 'b/closer.cpp': closer }))).toEqual([fault]);
    expect(
      await findings(cli.tree('deep', { 'a/main.cpp': main, 'b/between.cpp': between, 'z/really.cpp': closer.replace('finish', 'really') })),
    ).toEqual([fault]);
    expect(await findings(cli.tree('alone', { 'a/main.cpp': main }))).toEqual([]);
  });

  it('is silent where a file without any API has a function of the same name', { timeout: 60_000 }, async () => {
    const files = { 'a/main.cpp': main, 'b/closer.cpp': closer, 'c/pool.cpp': 'void finish(int fd) { pool.push_back(fd); }\n' };
    expect(await findings(cli.tree('namesake', files))).toEqual([]);
  });

  it('a file that is named alone is judged by itself', { timeout: 60_000 }, async () => {
    const root = cli.tree('named', { 'a/main.cpp': main, 'b/closer.cpp': closer });
    expect((await cli.run(path.join(root, 'a/main.cpp'))).code).toBe(0);
    expect((await cli.run(path.join(root, 'a/main.cpp'), path.join(root, 'b/closer.cpp'))).code).toBe(1);
  });

  it('fixes are written as ever, and only where there are any', { timeout: 60_000 }, async () => {
    const root = cli.tree('fixes', { 'a/main.cpp': main + wrongEnum, 'b/closer.cpp': closer });
    expect(await findings(root, '--fix')).toEqual([fault]);
    expect(readFileSync(path.join(root, 'a/main.cpp'), 'utf8')).toBe(main + wrongEnum.replace('VK_EXTERNAL_SEMAPHORE', 'VK_EXTERNAL_MEMORY'));
  });
});
