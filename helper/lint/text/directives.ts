import type { Directive } from '../facts/file';
import { sameList } from '../same-list';
import { Anchor, AnchoredSpan } from '../syntax/node';
import { ChunkMemo } from './chunks';
import { endsInside, scanDirectives } from './directive-lines';

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

const texts = new WeakMap<readonly Directive[], string>();

/** What directives say, without their places, to be compared. */
export function directiveText(directives: readonly Directive[]): string {
  const known = texts.get(directives);
  if (known !== undefined) return known;
  const made = JSON.stringify(directives.map(({ kind, name, params, body }) => [kind, name, params, body]));
  texts.set(directives, made);
  return made;
}

interface Piece {
  /** Measured from the anchor, which moves when the text before it changes. */
  readonly directives: readonly Directive[];
  readonly anchor: Anchor;
  /** A comment or directive goes on behind its end. */
  readonly isOpen: boolean;
}

/** The directives of successive versions of a text. One that only moves stays the same, and so does the list when all do. */
export class DirectiveMemo {
  readonly #pieces = new ChunkMemo<Piece>(directivesOfPiece, ({ isOpen }) => isOpen);
  #last: readonly Directive[] = [];

  of(text: string): readonly Directive[] {
    const now: Directive[] = [];
    this.#pieces.of(text).forEach(({ directives, anchor }, i) => {
      if (directives.length === 0) return;
      anchor.offset = this.#pieces.startOf(i);
      now.push(...directives);
    });
    this.#last = sameList(this.#last, now);
    return this.#last;
  }
}

function directivesOfPiece(piece: string): Piece {
  const anchor = new Anchor(0);
  const directives = directivesOf(piece).map((each) => ({ ...each, span: new AnchoredSpan(anchor, each.span.start, each.span.end) }));
  return { directives, anchor, isOpen: endsInside(piece) };
}
