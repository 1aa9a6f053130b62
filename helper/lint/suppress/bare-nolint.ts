// A NOLINT for whichever tool reads it. It suppresses nothing here: nobody says what it excuses, nor why. Its author learns that at the finding.
import type { Span } from '../facts/index';
import type { RawFinding } from '../rules/rule';
import type { LineIndex } from '../text/lines';
import type { Comments } from './comments';
import { hasNoCode, type Places } from './parse';

interface BareComment {
  readonly span: Span;
  /** `NOLINT`, `NOLINTNEXTLINE`, `NOLINTBEGIN` or `NOLINTEND`. */
  readonly word: string;
}

/** The findings, with the comment where one stands that was meant to excuse them. */
export function tellOfBareNolints(findings: readonly RawFinding[], text: string, lines: LineIndex, comments: () => Comments): readonly RawFinding[] {
  if (findings.length === 0 || !text.includes('NOLINT')) return findings;
  const bare = new BareNolints({ text, lines, comments: comments() });
  return findings.map((finding) => {
    const comment = bare.about(finding.span);
    if (!comment) return finding;
    const message = `This comment names no rule, so it excuses nothing here: write ${comment.word}(seamscope-${finding.ruleId.replace('/', '-')}): reason`;
    return { ...finding, related: [...finding.related, { span: comment.span, message }] };
  });
}

class BareNolints {
  /** By the line they stand on, or end on. */
  readonly #trailing = new Map<number, BareComment>();
  readonly #leading = new Map<number, BareComment>();
  /** Begins and ends, in their order. */
  readonly #blocks: BareComment[] = [];

  constructor(private readonly places: Places) {
    const { lines, comments } = places;
    for (const { span, body } of comments.marked) {
      const word = bareWord(body);
      if (word === undefined) continue;
      const comment = { span, word };
      if (word === 'NOLINT') this.#trailing.set(lines.at(span.start).line, comment);
      else if (word === 'NOLINTNEXTLINE') this.#leading.set(lines.at(span.end).line, comment);
      else this.#blocks.push(comment);
    }
  }

  about({ start, end }: Span): BareComment | undefined {
    const { lines } = this.places;
    const first = lines.at(start).line;
    const block = this.#blocks.findLast(({ span }) => span.start < start);
    const around = block?.word === 'NOLINTBEGIN' ? block : undefined;
    return this.#trailing.get(first) ?? this.#trailing.get(lines.at(end).line) ?? this.#above(first) ?? around;
  }

  #above(line: number): BareComment | undefined {
    let above = line - 1;
    while (above >= 1 && !this.#leading.has(above) && hasNoCode(above, this.places)) above--;
    return this.#leading.get(above);
  }
}

function bareWord(body: string): string | undefined {
  const [, word, list] = /\b(NOLINT(?:NEXTLINE|BEGIN|END)?)(?:\(([^)]*)\)|(?![\w(]))/.exec(body) ?? [];
  if (list === undefined) return word;
  return !list.includes('seamscope') && list.split(',').some((check) => check.trim() === '*') ? word : undefined;
}
