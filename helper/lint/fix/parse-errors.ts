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
    this.errors += isUnparsed(parsed) ? 1 : errorsIn(parsed, args[1]);
    return parsed;
  }
}

/** An error may have whole statements below it, with errors of their own; what is missing has nothing. */
function errorsIn(node: Node, text: string): number {
  const { type, broken, children } = node;
  const below = children.reduce((sum, child) => sum + errorsIn(child, text), 0);
  return below + (type === 'ERROR' || (broken && below === 0) || isStray(node, text) ? 1 : 0);
}

/** An `else` without its `if` is the name of a type to the grammar. */
function isStray({ type, start, end }: Node, text: string): boolean {
  return type.endsWith('identifier') && text.slice(start, end) === 'else';
}
