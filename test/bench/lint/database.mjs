// One compilation database for all programs, so that all are told the same: the folder's own where it has one, else one that is made of its
// include lines. Headers of APIs and libraries that the system has are named outright, since cppcheck looks into no folder of itself.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { includeFolders } from './includes.mjs';
import { timed } from './timed.mjs';

const compiled = /\.(c|cc|cpp|cxx)$/;
const system = '/usr/include';
const cuda = [process.env.CUDA_PATH, process.env.CUDA_HOME, '/usr/local/cuda'].filter(Boolean).map((folder) => path.join(folder, 'include'));

/** Of the standard libraries and the operating system: cppcheck knows what they declare without reading them. */
const standard =
  /^([a-z_]+|(sys|linux|arpa|netinet|net|asm|bits|experimental|ext)\/.*|(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|tgmath|threads|time|uchar|wchar|wctype|unistd|fcntl|dlfcn|link|elf|pthread|poll|sched|semaphore|termios|dirent|getopt|libgen|malloc|memory|alloca|byteswap|endian|execinfo|cpuid|immintrin|x86intrin|emmintrin|xmmintrin|smmintrin|arm_neon|intrin|windows|syslog|pwd|grp|netdb|spawn|glob|fnmatch|ftw|regex|search|utime|utmp|wordexp|mntent|numa|aio|mqueue|ucontext|features)\.h)$/i;

export class Database {
  #api;

  /** `files`: the sources and headers of the folder. `place` is a temporary folder. */
  constructor(folder, files, place) {
    this.place = place;
    this.#api = path.join(place, 'api');
    mkdirSync(this.#api, { recursive: true });
    const wanted = new Set(files);
    this.entries = (read(folder) ?? made(folder, files)).filter(({ file }) => wanted.has(file) && compiled.test(file));
  }

  get #flags() {
    return [this.#api, ...cuda.filter((each) => existsSync(each))].map((each) => `-I${each}`);
  }

  /** Writes the database of some entries. @returns its folder */
  write(name, entries) {
    const out = path.join(this.place, name);
    mkdirSync(out, { recursive: true });
    const told = entries.map(({ arguments: args, ...entry }) => ({ ...entry, arguments: [args[0], ...this.#flags, ...args.slice(1)] }));
    writeFileSync(path.join(out, 'compile_commands.json'), JSON.stringify(told));
    return out;
  }

  /** True when cppcheck finds every header of the project, of its libraries and APIs; what the system has of those is shown to it. */
  findsHeaders(entry) {
    for (let round = 0; round < 8; round++) {
      const project = path.join(this.write('look', [entry]), 'compile_commands.json');
      const { output } = timed('cppcheck', ['--check-config', '--enable=missingInclude', '--quiet', '--template={message}', `--project=${project}`]);
      const missing = [...output.matchAll(/^Include file: ["<]([^">]+)[">] not found/gm)].map((match) => match[1]);
      const lacking = [...new Set(missing)].filter((name) => !standard.test(name));
      if (lacking.length === 0) return true;
      if (!lacking.map((name) => this.#show(name)).some(Boolean)) return false;
    }
    return false;
  }

  #show(name) {
    const [top] = name.split('/');
    const link = path.join(this.#api, top);
    if (existsSync(link) || !existsSync(path.join(system, name))) return false;
    symlinkSync(path.join(system, top), link);
    return true;
  }
}

function read(folder) {
  const file = ['build/native', 'build', ''].map((sub) => path.join(folder, sub, 'compile_commands.json')).find((each) => existsSync(each));
  if (!file) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')).map(({ command, arguments: args, ...entry }) => ({
    ...entry,
    file: path.resolve(entry.directory, entry.file),
    // cppcheck passes over the folders of `-isystem`.
    arguments: (args?.join(' ') ?? command)
      .replace(/ -isystem +/g, ' -I')
      .split(' ')
      .filter(Boolean),
  }));
}

function made(folder, files) {
  const includes = includeFolders(files).map((each) => `-I${each}`);
  return files
    .filter((file) => compiled.test(file))
    .map((file) => ({
      directory: folder,
      file,
      arguments: file.endsWith('.c') ? ['clang', '-std=gnu17', ...includes, '-c', file] : ['clang++', '-std=c++20', ...includes, '-c', file],
    }));
}
