/** Environments whose devices can be asked for: read from processes, and from what the user types. Free of VS Code, for tests. */
import { readFile } from 'node:fs/promises';

/** Laid over the engine's environment; null removes a variable. */
export type Overrides = Record<string, string | null>;

/** What drivers and loaders read. A variable of these that a process lacks is removed from the engine's. */
const DECIDES =
  /^(CUDA_|NVIDIA_|VK_|MESA_|GALLIUM_|DRI_|__GLX|__NV|__EGL|LIBGL_|ENABLE_|DISABLE_|NVML_|XDG_(DATA|CONFIG)_|LD_(LIBRARY_PATH|PRELOAD)$)/;

/** Of a process that sees `target`, over an engine that sees `base`. */
export function overridesFor(target: NodeJS.ProcessEnv, base: NodeJS.ProcessEnv): Overrides {
  const names = [...new Set([...Object.keys(target), ...Object.keys(base)])].filter((name) => DECIDES.test(name));
  return Object.fromEntries(names.filter((name) => target[name] !== base[name]).map((name) => [name, target[name] ?? null]));
}

/** The environment that a process was started with; undefined when it is gone or belongs to somebody else. */
export async function environmentOf(pid: number): Promise<NodeJS.ProcessEnv | undefined> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const pairs = text.split('\0').flatMap((entry) => {
    const at = entry.indexOf('=');
    return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)] as const] : [];
  });
  return Object.fromEntries(pairs);
}

export interface Program {
  pid: number;
  /** Its command line, cut. */
  command: string;
}

/** What runs in a shell now: its newest child, and that one's, down to the last. Programs see what was exported since the shell began. */
export async function programIn(shell: number): Promise<Program | undefined> {
  let last: number | undefined;
  for (let pid: number | undefined = shell; pid !== undefined; ) {
    pid = await newestChild(pid);
    last = pid ?? last;
  }
  if (last === undefined) return undefined;
  const words = await readFile(`/proc/${last}/cmdline`, 'utf8').catch(() => '');
  const command = words.replaceAll('\0', ' ').trim();
  return command ? { pid: last, command: command.length > 60 ? `${command.slice(0, 59)}…` : command } : undefined;
}

async function newestChild(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.trim().split(/\s+/).filter(Boolean).map(Number).at(-1);
}

const WORD = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/y;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `NAME=VALUE NAME="two words" NAME`: as in a shell's line; a name alone removes the variable. Throws with what is wrong. */
export function parseVariables(text: string): Overrides {
  const overrides: Overrides = {};
  WORD.lastIndex = 0;
  for (const rest = text.trimEnd(); WORD.lastIndex < rest.length; ) {
    const at = WORD.lastIndex;
    const word = WORD.exec(rest)?.[1];
    if (word === undefined) throw new Error(`A quote is not closed: ${rest.slice(at).trim()}`);
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (!NAME.test(name)) throw new Error(`"${word}" does not begin with the name of a variable.`);
    overrides[name] = value === undefined ? null : unquoted(value);
  }
  return overrides;
}

function unquoted(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) =>
    double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
  );
}
