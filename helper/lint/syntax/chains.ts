// `a + b + c + ...` is nested as deeply as it is long. Thousands of terms, as machines write them, are taken apart here.
import type { Cursor } from './cursor';

const chained = /^(binary_expression|binary_operator|boolean_operator)$/;
/** Grouped in any way these mean the same, in the same order of evaluation. */
const associative = /^(\+|\*|&&|\|\||&|\||\^|and|or)$/;
/** Shorter ones stay as they are. */
const minLinks = 32;

/** The type of a chain of several operators: its children are the operands, and what stands between them. */
export const chain = 'chain';

/** Operands and, before each but the first, the tokens that link it to the one before. */
export interface Links<N> {
  readonly operands: N[];
  readonly between: N[][];
}

/** Reads the chain that the cursor stands on; undefined, with the cursor where it was, when it is none or short. */
export function readChain<N extends { readonly named: boolean; readonly type: string }>(
  cursor: Cursor,
  copyHere: (cursor: Cursor) => N,
): Links<N> | undefined {
  const type = cursor.nodeType;
  if (!chained.test(type)) return undefined;
  const depth = descend(cursor, type);
  if (depth < minLinks) {
    for (let i = 0; i < depth; i++) cursor.gotoParent();
    return undefined;
  }
  cursor.gotoFirstChild();
  const links: Links<N> = { operands: [copyHere(cursor)], between: [] };
  for (let level = 0; ; level++) {
    readRest(cursor, links, copyHere);
    cursor.gotoParent();
    if (level === depth) return links;
  }
}

/** To the innermost left operand of the same type. Returns the number of steps. */
function descend(cursor: Cursor, type: string): number {
  for (let steps = 0; ; steps++) {
    if (!cursor.gotoFirstChild()) return steps;
    if (cursor.nodeType === type) continue;
    cursor.gotoParent();
    return steps;
  }
}

/** The siblings behind the left operand, on which the cursor stands. */
function readRest<N extends { readonly named: boolean; readonly type: string }>(
  cursor: Cursor,
  links: Links<N>,
  copyHere: (cursor: Cursor) => N,
): void {
  const between: N[] = [];
  while (cursor.gotoNextSibling()) {
    const node = copyHere(cursor);
    if (!node.named || node.type === 'comment') between.push(node);
    else {
      links.operands.push(node);
      links.between.push(between.splice(0));
    }
  }
}

/** The one operator of a chain whose operands may be grouped in any way, else undefined. */
export function oneOperator<N extends { readonly named: boolean; readonly type: string }>({ between }: Links<N>): string | undefined {
  const operators = new Set(between.map((tokens) => tokens.find((token) => !token.named)?.type ?? ''));
  const [operator = ''] = operators;
  return operators.size === 1 && associative.test(operator) ? operator : undefined;
}
