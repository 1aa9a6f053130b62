import { describe, expect, it } from 'vitest';
import { lint } from '../../../helper/lint/engine';
import { rules } from '../../../helper/lint/rules/registry';
import type { Node } from '../../../helper/lint/syntax/node';
import { isUnparsed, type Unparsed } from '../../../helper/lint/syntax/parser-module';
import { grammars } from './harness';

const plain = (parsed: Node | Unparsed): unknown =>
  isUnparsed(parsed) ? parsed.refused : [parsed.type, parsed.start, parsed.end, parsed.broken, parsed.children.map(plain)];

const cpp = 'int f(int *p) { return p ? *p : 0; }\n';
const python = 'def f(x):\n    with open(x) as y:\n        return y\n';
const parsed = () => [plain(grammars.parse('cuda', cpp)), plain(grammars.parse('python', python))];
const usual = parsed();

/** Has two readings, which meet behind the comments: there they are merged, one comment in the other. */
const ambiguous = (comments: number) => `record)) torch.relu() ${'#\n'.repeat(comments)}`;

/** Overwrites all that C has in its memory, as a trap in it may. */
function ruin(): void {
  const { binding, stack } = grammars.module;
  binding.HEAPU8.fill(0xff, 1024, stack.low);
  binding.HEAPU8.fill(0xff, stack.high);
}

/** Calls itself until the stack is full, and on the way back does `work` in each frame until it gives something. */
function atTheEnd<T>(work: () => T | undefined): T | undefined {
  try {
    return atTheEnd(work) ?? work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

describe('the module of the parsers', () => {
  it('has a stack for thousands of comments in an ambiguous place', () => {
    expect(isUnparsed(grammars.parse('python', ambiguous(3000)))).toBe(false);
    expect(parsed()).toEqual(usual);
  });

  it('is as good as new after a trap, and the text is read again', () => {
    const { traps } = grammars.module;
    ruin();
    expect(parsed()).toEqual(usual);
    expect(grammars.module.traps).toBe(traps + 1);
  });

  it('is thrown away when its stack has run over', () => {
    const { binding, stack } = grammars.module;
    binding.HEAPU8[stack.low] = 0;
    expect(stack.isSound).toBe(false);
    expect(plain(grammars.parse('cuda', cpp))).toMatch(/nested more deeply/);
    expect(stack.isSound).toBe(true);
    expect(parsed()).toEqual(usual);
  });

  it("names a text on which the engine's own stack is full, and reads the next", () => {
    const { traps } = grammars.module;
    const refused = atTheEnd(() => {
      const tried = grammars.parse('python', ambiguous(2000));
      return isUnparsed(tried) ? tried.refused : 'it was read';
    });
    expect(refused).toMatch(/nested more deeply/);
    expect(grammars.module.traps).toBe(traps);
    expect(parsed()).toEqual(usual);
  });

  it('goes on with open documents whose trees are lost', () => {
    const [kept, closed] = [grammars.open('cuda'), grammars.open('cuda')];
    kept.update(cpp);
    closed.update(cpp);
    ruin();
    const edited = cpp.replace('*p : 0', '*p + 1 : 0');
    expect(plain(kept.update(edited))).toEqual(plain(grammars.parse('cuda', edited)));
    closed.dispose();
    expect(plain(kept.update(cpp))).toEqual(plain(grammars.parse('cuda', cpp)));
    kept.dispose();
    expect(parsed()).toEqual(usual);
  });

  it('fails for every reader alike when it fails twice, and the reason reaches the result', () => {
    const failing = { parse: () => grammars.module.attempt(() => trap()) } as unknown as typeof grammars;
    const { unparsed, findings } = lint('a.cu', 'void f() { cudaFree(0); }', failing, { rules, preview: true });
    expect(unparsed).toBe('the parser failed on it (unreachable). Please report this');
    expect(findings).toEqual([]);
    expect(parsed()).toEqual(usual);
  });

  it('does not hide a fault of our own', () => {
    expect(() =>
      grammars.module.attempt(() => {
        throw new TypeError('ours');
      }),
    ).toThrow('ours');
    expect(parsed()).toEqual(usual);
  });
});

function trap(): never {
  throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
}
