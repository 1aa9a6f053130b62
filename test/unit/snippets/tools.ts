/** What the snippet tests share: where things lie, running a program with a time-out, what this machine has. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(__dirname, '../../..');
export const sources = path.join(root, 'snippets/src');
export const shim = path.join(__dirname, 'shim');
export const programs = path.join(__dirname, 'programs');
export const buildFolder = path.join(root, 'build/snippets');

export interface Outcome {
  code: number;
  output: string;
}

/** Exit code 127 when the program is not there; the program is killed after `timeoutMs`. */
export function run(command: string, args: string[], { timeoutMs = 120_000, env = {} as NodeJS.ProcessEnv } = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs, env: { ...process.env, ...env } });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code, signal) => resolve({ code: code ?? 1, output: signal ? `${output}\nkilled by ${signal}` : output }));
  });
}

/** File names of one language folder. */
export const filesOf = (language: string, extension: string) => readdirSync(path.join(sources, language)).filter((name) => name.endsWith(extension));

const inPath = (name: string) => (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, name)));
export const hasCommand = (name: string) => inPath(name);

const cudaHome = process.env.CUDA_PATH ?? '/usr/local/cuda';
const headerFolders = ['/usr/include', '/usr/local/include', `${cudaHome}/include`];
export const findHeader = (name: string) => headerFolders.find((folder) => existsSync(path.join(folder, name)));

const packages: Record<string, string> = {
  'vulkan/vulkan.h': 'libvulkan-dev',
  'EGL/egl.h': 'libegl-dev',
  'dlpack/dlpack.h': 'libdlpack-dev',
  'cuda.h': 'a CUDA toolkit',
  'cuda_runtime_api.h': 'a CUDA toolkit',
};

/** Why a file with these headers cannot be compiled here, or undefined. */
export function missing(headers: string[]): string | undefined {
  const absent = headers.filter((name) => name in packages && !findHeader(name));
  return absent.length > 0 ? `${absent.join(', ')} missing: install ${[...new Set(absent.map((name) => packages[name]))].join(', ')}` : undefined;
}

export const compilerFlags = ['-std=c++17', '-Wall', '-Wextra', '-Werror', `-isystem${cudaHome}/include`, `-I${shim}`];

const sanitizers = ['-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=undefined'];

const libraryFolders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib', '/usr/local/nvidia/lib64'];
const linkFolders = [...(process.env.LD_LIBRARY_PATH ?? '').split(path.delimiter).filter(Boolean), ...libraryFolders];
export const findLibrary = (name: string) => linkFolders.find((folder) => existsSync(path.join(folder, name)));

async function compile(name: string, args: string[]): Promise<void> {
  const common = [...compilerFlags, ...sanitizers, `-I${path.join(sources, 'cpp')}`, path.join(programs, `${name}.cpp`)];
  const { code, output } = await run('g++', [...common, ...args]);
  if (code !== 0) throw new Error(output);
}

/** Throws with the compiler's words when test/unit/snippets/programs/NAME.cpp does not compile. */
export const checkProgram = (name: string) => compile(name, ['-fsyntax-only']);

/** Builds the program, linked to libraries by their file names, and returns its path. */
export async function buildProgram(name: string, libraries: string[]): Promise<string> {
  mkdirSync(buildFolder, { recursive: true });
  const program = path.join(buildFolder, name);
  const links = libraries.flatMap((library) => [`-L${findLibrary(library)}`, `-l:${library}`]);
  await compile(name, ['-o', program, '-pthread', ...links]);
  return program;
}
