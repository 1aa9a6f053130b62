// Runs `seamscope lint` in this process, in a temporary folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { runLint } from '../../../helper/cli/lint';
import { copyGrammars } from './bundles';

/** `close` after a successful import: one finding in line 4. */
export const faulty = `void f(CUexternalMemory m, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
    cuImportExternalMemory(&m, &desc);
    close(fd);
}
`;

/** One finding whose fix is safe, in line 3. */
export const mendable = `void g() {
    VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
}
`;

export class CommandLine {
  folder = '';

  constructor() {
    beforeAll(() => {
      this.folder = mkdtempSync(path.join(tmpdir(), 'seamscope-cli-'));
      copyGrammars(this.at('bundles'));
    });
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
    afterEach(() => vi.restoreAllMocks());
  }

  at(...parts: string[]): string {
    return path.join(this.folder, ...parts);
  }

  async run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += text;
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += text;
      return true;
    });
    const code = await runLint(args, this.at('bundles'));
    return { code, out, err };
  }

  /** Writes files below a folder of this name and returns it. */
  tree(name: string, files: Record<string, string>): string {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(this.at(name, file)), { recursive: true });
      writeFileSync(this.at(name, file), text);
    }
    return this.at(name);
  }
}
