// A NOLINT for whichever tool reads it, or one with the rule as other comments name it: other tools have names of that kind, so it is not told to
// be a mistake. Neither suppresses anything here. Their author learns that at the finding.
import { names } from '../config/levels';
import type { Span } from '../facts/index';
import type { RawFinding } from '../rules/rule';
import type { LineIndex } from '../text/lines';
import type { Comments } from './comments';
import { checkOf } from './directive';
import { hasNoCode, type Places } from './parse';

interface BareComment {
  readonly span: Span;
  /** `NOLINT`, `NOLINTNEXTLINE`, `NOLINTBEGIN` or `NOLINTEND`. */
  readonly word: string;
  /** What it names; undefined for one without a list. */
  readonly list: readonly string[] | undefined;
}

/** The findings, with the comment where one stands that was meant to excuse them. */
export function tellOfBareNolints(findings: readonly RawFinding[], text: string, lines: LineIndex, comments: () => Comments): readonly RawFinding[] {
  if (findings.length === 0 || !text.includes('NOLINT')) return findings;
  const bare = new BareNolints({ text, lines, comments: comments() });
  return findings.map((finding) => {
    const comment = bare.about(finding);
    if (!comment) return finding;
    const isNamed = comment.list !== undefined && !comment.list.includes('*');
    const lack = isNamed ? 'lacks seamscope- before the rule' : 'names no rule';
    const message = `This comment ${lack}, so it excuses nothing here: write ${comment.word}(${checkOf(finding.ruleId)}): reason`;
    const related = [...finding.related, { span: comment.span, message }];
    // Whoever names the rule wants the code to stay as it is.
    return isNamed ? { ...finding, related, fix: () => undefined } : { ...finding, related };
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
      const said = bareWord(body);
      if (said === undefined) continue;
      const comment = { span, ...said };
      if (comment.word === 'NOLINT') this.#trailing.set(lines.at(span.start).line, comment);
      else if (comment.word === 'NOLINTNEXTLINE') this.#leading.set(lines.at(span.end).line, comment);
      else this.#blocks.push(comment);
    }
  }

  about({ ruleId, span: { start, end } }: RawFinding): BareComment | undefined {
    const { lines } = this.places;
    const first = lines.at(start).line;
    const isMeant = (comment: BareComment) => (comment.list ?? ['*']).some((name) => meansRule(name, ruleId));
    const block = this.#blocks.findLast((each) => each.span.start < start && isMeant(each));
    const around = block?.word === 'NOLINTBEGIN' ? block : undefined;
    const near = [this.#trailing.get(first), this.#trailing.get(lines.at(end).line), this.#above(first), around];
    return near.find((comment) => comment && isMeant(comment));
  }

  #above(line: number): BareComment | undefined {
    let above = line - 1;
    while (above >= 1 && !this.#leading.has(above) && hasNoCode(above, this.places)) above--;
    return this.#leading.get(above);
  }
}

function meansRule(name: string, ruleId: string): boolean {
  return name === '*' || names(name, ruleId) || name === ruleId.replace('/', '-');
}

function bareWord(body: string): Pick<BareComment, 'word' | 'list'> | undefined {
  const [, word, list] = /\b(NOLINT(?:NEXTLINE|BEGIN|END)?)(?:\(([^)]*)\)|(?![\w(]))/.exec(body) ?? [];
  if (word === undefined || list?.includes('seamscope')) return undefined;
  return { word, list: list?.split(',').map((check) => check.trim()) };
}
