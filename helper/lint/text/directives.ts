import type { Directive } from '../facts/file';
import { scanDirectives } from './directive-lines';

/** Includes, macro definitions and #undef of a text whose inactive parts are blanked. */
export function directivesOf(text: string): Directive[] {
  const found: Directive[] = [];
  for (const line of scanDirectives(text)) {
    const span = { start: line.start, end: line.end };
    if (line.name === 'include' || line.name === 'import') {
      const name = /["<]([^">]+)[">]/.exec(line.rest)?.[1];
      if (name) found.push({ kind: 'include', name, params: undefined, body: '', span });
    } else if (line.name === 'undef') {
      found.push({ kind: 'undef', name: line.rest.split(/\W/)[0]!, params: undefined, body: '', span });
    } else if (line.name === 'define') {
      const parts = /^(\w+)(?:\(([^)]*)\))?\s*([\s\S]*)$/.exec(line.rest);
      if (!parts) continue;
      const params = parts[2]?.split(',').map((param) => param.trim());
      found.push({ kind: 'define', name: parts[1]!, params, body: parts[3]!, span });
    }
  }
  return found;
}
