// One case of a run: which file, spoilt how, tried as what. All of it follows from the seed and the number.
import type { Grammars } from '../../helper/lint/syntax/grammars';
import type { CorpusFile } from './corpus';
import { asBytes, mutate } from './mutations';
import { Random } from './random';
import { type Fault, faultOfBytes, faultOfConfig, faultOfEdits } from './subject';

export type Case =
  | { readonly kind: 'bytes'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: 'edits'; readonly path: string; readonly versions: readonly string[] }
  | { readonly kind: 'config'; readonly text: string };

const config = `{"preview": true, "rules": {"fd/*": "error", "dlpack/x": "off"}, "ignore": ["a/**", "*.cu"], "functions": {"take": {"parameters":
["fd"], "consumes": "fd", "returns": "status"}}, "checks": {"OK": {"onFailure": "returns"}}}`;

const extensions = ['cpp', 'c', 'h', 'cu', 'mm', 'm', 'py', 'cuh'] as const;

export function caseOf(corpus: readonly CorpusFile[], seed: number, index: number): Case {
  const random = new Random(seed, index);
  const file = random.pick(corpus);
  const partner = random.pick(corpus).text;
  const kind = random.next();
  if (kind < 0.02) return { kind: 'config', text: mutate(config, random, partner) };
  if (kind < 0.15) return { kind: 'edits', path: file.name, versions: editsOf(file, random, partner) };
  const path = random.chance(0.05) ? file.name.replace(/\w+$/, random.pick(extensions)) : file.name;
  return { kind: 'bytes', path, bytes: asBytes(mutate(file.text, random, partner), random) };
}

/** Ends where it began, further down: every kept place has to move. */
function editsOf({ text }: CorpusFile, random: Random, partner: string): string[] {
  const versions = [text];
  for (let i = 0; i <= random.below(5); i++) versions.push(mutate(random.chance(0.5) ? text : versions.at(-1)!, random, partner));
  return [...versions, '\n'.repeat(random.below(40)) + text];
}

/** The linter goes on after a trap in the parser: here one is a fault. Texts that are too deep for it, or take too long, are none. */
export function faultOf(tried: Case, grammars: Grammars): Fault | undefined {
  const before = grammars.module.traps;
  const fault = faultIn(tried, grammars);
  return grammars.module.traps === before ? fault : { kind: 'trap in the parser', detail: fault?.detail ?? 'The module was renewed.' };
}

function faultIn(tried: Case, grammars: Grammars): Fault | undefined {
  if (tried.kind === 'bytes') return faultOfBytes(tried.path, tried.bytes, grammars);
  return tried.kind === 'edits' ? faultOfEdits(tried.path, tried.versions, grammars) : faultOfConfig(tried.text);
}
