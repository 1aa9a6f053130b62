// Copies one node out of the module, with all below it.
import { chain, type Links, oneOperator, readChain } from './chains';
import type { Cursor } from './cursor';
import { type Anchor, type Node, tooDeep } from './node';

/** Deeper nesting is machine-made; it counts as broken so that nothing is concluded from it. */
export const maxDepth = 300;
/** From here on long chains of operators are taken apart, so that their operands have some depth left. */
const chainDepth = 200;
/** Levels that a chain has then: its operands are halved until one is left. */
const chainLevels = 20;

export class CopiedNode implements Node {
  constructor(
    readonly type: string,
    readonly named: boolean,
    readonly field: string | undefined,
    readonly children: readonly Node[],
    readonly broken: boolean,
    readonly anchor: Anchor,
    private readonly from: number,
    private readonly to: number,
  ) {}

  get start(): number {
    return this.anchor.offset + this.from;
  }
  get end(): number {
    return this.anchor.offset + this.to;
  }

  as(field: string): CopiedNode {
    return new CopiedNode(this.type, this.named, field, this.children, this.broken, this.anchor, this.from, this.to);
  }

  /** From the beginning of one to the end of another. */
  static around(type: string, field: string | undefined, children: readonly CopiedNode[]): CopiedNode {
    const [first, last] = [children[0]!, children.at(-1)!];
    const broken = children.some((child) => child.broken);
    return new CopiedNode(type, true, field, children, broken, first.anchor, first.from, last.to);
  }
}

function copyChain(cursor: Cursor, anchor: Anchor, depth: number): CopiedNode | undefined {
  const { nodeType: type, fieldName: field } = cursor;
  const links = readChain(cursor, (at) => copy(at, anchor, depth + chainLevels));
  if (!links) return undefined;
  if (oneOperator(links)) return halved(links, type, field, 0, links.operands.length);
  return CopiedNode.around(
    chain,
    field,
    links.operands.flatMap((operand, i) => [...(links.between[i - 1] ?? []), operand]),
  );
}

function halved(links: Links<CopiedNode>, type: string, field: string | undefined, from: number, to: number): CopiedNode {
  if (to - from === 1) return field === undefined ? links.operands[from]! : links.operands[from]!.as(field);
  const middle = (from + to) >> 1;
  return CopiedNode.around(type, field, [
    halved(links, type, 'left', from, middle),
    ...links.between[middle - 1]!,
    halved(links, type, 'right', middle, to),
  ]);
}

/** Most nodes are leaves. */
const noChildren: CopiedNode[] = [];

/** What the cursor stands on, measured from an anchor. */
export function copy(cursor: Cursor, anchor: Anchor, depth: number): CopiedNode {
  const chained = depth >= chainDepth ? copyChain(cursor, anchor, depth) : undefined;
  if (chained) return chained;
  const { typeId, fieldName } = cursor;
  let type = cursor.typeOf(typeId);
  const from = cursor.start - anchor.offset;
  const to = cursor.end - anchor.offset;
  // What is missing takes no place.
  let broken = type === 'ERROR' || (from === to && cursor.isMissing);
  let children = noChildren;
  if (cursor.gotoFirstChild()) {
    if (depth >= maxDepth) {
      broken = true;
      type = tooDeep;
    } else {
      children = [];
      do {
        const child = copy(cursor, anchor, depth + 1);
        broken ||= child.broken;
        children.push(child);
      } while (cursor.gotoNextSibling());
    }
    cursor.gotoParent();
  }
  return new CopiedNode(type, cursor.isNamed(typeId), fieldName, children, broken, anchor, from, to);
}

/** Alike in all but where they lie. */
export function isAlike(a: CopiedNode, b: CopiedNode): boolean {
  return (
    a.type === b.type &&
    a.named === b.named &&
    a.field === b.field &&
    a.broken === b.broken &&
    a.start - a.anchor.offset === b.start - b.anchor.offset &&
    a.end - a.anchor.offset === b.end - b.anchor.offset &&
    a.children.length === b.children.length &&
    a.children.every((child, i) => isAlike(child as CopiedNode, b.children[i] as CopiedNode))
  );
}
