// Counts what does not parse, beside what a parser is asked for anyway.
import type { Grammars } from '../syntax/grammars';
import type { Node } from '../syntax/node';
import { isUnparsed } from '../syntax/parser-module';

export class CountingParser implements Pick<Grammars, 'parse'> {
  /** In all texts that it has parsed. */
  errors = 0;

  constructor(private readonly grammars: Pick<Grammars, 'parse'>) {}

  parse(...args: Parameters<Grammars['parse']>): ReturnType<Grammars['parse']> {
    const parsed = this.grammars.parse(...args);
    this.errors += isUnparsed(parsed) ? 1 : errorsIn(parsed);
    return parsed;
  }
}

/** An error may have whole statements below it, with errors of their own; what is missing has nothing. */
function errorsIn({ type, broken, children }: Node): number {
  if (!broken) return 0;
  const below = children.reduce((sum, child) => sum + errorsIn(child), 0);
  return below + (type === 'ERROR' || below === 0 ? 1 : 0);
}
