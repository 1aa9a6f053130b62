// Ways to spoil a text. Each takes the text and a partner of the corpus and gives another text.
import type { Random } from './random';

export type Mutation = (text: string, random: Random, partner: string) => string;

const maxLength = 300_000;

const pieces = [
  ...['{', '}', '(', ')', '[', ']', ';', ',', ':', '"', "'", '`', '\\', '\0', '\t', '\r', '\n', '\u2028', '\ufeff', '\ud800', 'é', '😀'],
  ...['/*', '*/', '//', '#', '##', '::', '->', '&', '*', '<<<', '>>>', '[&]', '@', '?', '...', '<', '>', 'R"(', ')"', '"""', "'''", '0x', '1e'],
  ...[
    'return',
    'goto x;',
    'x:',
    'lambda',
    'try',
    'catch (...)',
    'else',
    'if (x)',
    'for (;;)',
    'while (1)',
    'do',
    'switch (x)',
    'case 1:',
    'default:',
  ],
  ...[
    'break;',
    'continue;',
    'throw;',
    'delete',
    'new',
    'class',
    'struct S',
    'template <',
    'operator',
    'using',
    'namespace',
    'extern "C" {',
    'typedef',
  ],
  ...[
    'constexpr',
    'virtual ~S()',
    'auto',
    'with',
    'finally:',
    'async',
    'await',
    'yield',
    'match x:',
    'except:',
    'def f(',
    'import',
    'from . import *',
  ],
  ...['__proto__', 'constructor', 'toString', 'this', 'self', 'nullptr', 'NULL', '-1', '0', 'fd', 'close(fd);', 'NOLINT(seamscope-*)'],
  ...['// seamscope-disable-next-line', '// seamscope-disable-file', '// seamscope: consumes(fd)', '/// seamscope: returns-ownership'],
] as const;

const conditionals = [
  '#if 0',
  '#if A && (B || !C',
  '#ifdef _WIN32',
  '#ifndef X',
  '#else',
  '#elif defined(Y)',
  '#endif',
  '#define A(x) if (x) {',
  '#undef A',
] as const;

const tokenPattern = /[A-Za-z_]\w*|\d[\w.]*|"(?:\\.|[^"\\\n])*"|[ \t]+|\s|[^\s\w]/g;

interface Part {
  readonly start: number;
  readonly end: number;
}

/** A token near a random place: splitting a whole file for each edit would be most of the work. */
function tokenNear(text: string, random: Random): Part {
  const from = random.below(text.length);
  const match = [...text.slice(from, from + 120).matchAll(tokenPattern)].at(random.below(8)) ?? { index: 0, 0: '' };
  return { start: from + match.index, end: from + match.index + match[0].length };
}

function lineNear(text: string, random: Random): Part {
  const at = random.below(text.length);
  const end = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at - 1) + 1, end: end < 0 ? text.length : end + 1 };
}

function replaced(text: string, { start, end }: Part, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

const deletes: Mutation = (text, random) => replaced(text, tokenNear(text, random), '');

const doubles: Mutation = (text, random) => {
  const part = tokenNear(text, random);
  return replaced(text, part, text.slice(part.start, part.end).repeat(2));
};

const swaps: Mutation = (text, random) => {
  const [a, b] = [tokenNear(text, random), tokenNear(text, random)].sort((x, y) => x.start - y.start) as [Part, Part];
  if (a.end > b.start) return text;
  return text.slice(0, a.start) + text.slice(b.start, b.end) + text.slice(a.end, b.start) + text.slice(a.start, a.end) + text.slice(b.end);
};

const renames: Mutation = (text, random, partner) => {
  const taken = tokenNear(partner, random);
  return replaced(text, tokenNear(text, random), partner.slice(taken.start, taken.end));
};

const inserts: Mutation = (text, random) => {
  const at = random.below(text.length + 1);
  return replaced(text, { start: at, end: at }, random.pick(pieces));
};

const removesLine: Mutation = (text, random) => replaced(text, lineNear(text, random), '');

const movesLine: Mutation = (text, random) => {
  const line = lineNear(text, random);
  const rest = replaced(text, line, '');
  const { start } = lineNear(rest || '\n', random);
  return rest.slice(0, start) + text.slice(line.start, line.end) + rest.slice(start);
};

const insertsConditional: Mutation = (text, random) => {
  const { start } = lineNear(text, random);
  return replaced(text, { start, end: start }, `${random.pick(conditionals)}\n`);
};

const cuts: Mutation = (text, random) => text.slice(0, random.below(text.length));

const removesRange: Mutation = (text, random) => {
  const start = random.below(text.length);
  return replaced(text, { start, end: start + random.below(400) }, '');
};

const splices: Mutation = (text, random, partner) => text.slice(0, random.below(text.length)) + partner.slice(random.below(partner.length));

const transplants: Mutation = (text, random, partner) => {
  const from = random.below(partner.length);
  const at = lineNear(text, random).start;
  return replaced(text, { start: at, end: at }, partner.slice(from, from + random.below(1500)));
};

const repeats: Mutation = (text, random) => {
  const start = lineNear(text, random).start;
  const part = text.slice(start, start + 20 + random.below(600));
  const times = 2 + random.below(Math.max(1, Math.min(60, Math.floor(maxLength / (part.length + 1)))));
  return replaced(text, { start, end: start }, `${part}\n`.repeat(times));
};

const nesting: readonly string[] = [
  ...['( )', '{ }', '[ ]', 'f( )', 'if(x){ }', 'if(x)~ ;', '! ', '* ', '- ', 'a< >', 'x?~ ~:1', '[&]{ }', 'struct~S{ };', 'namespace~n{ }'],
  ...['for(;;) ;', '#if~A\n \n#endif\n', 'lambda:~ ', 'do{ }while(x);', 'a.b( )', 'with~a:~ ', 'not~ ', 'try{ }catch(...){}'],
];

const nests: Mutation = (text, random) => {
  const [open = '', close = ''] = random
    .pick(nesting)
    .split(' ')
    .map((half) => half.replace(/~/g, ' '));
  const depth = 1 + random.below(random.chance(0.3) ? 3000 : 60);
  const { start, end } = tokenNear(text, random);
  const isClosed = random.chance(0.7);
  return replaced(text, { start, end }, open.repeat(depth) + text.slice(start, end) + (isClosed ? close.repeat(depth) : ''));
};

const chains: Mutation = (text, random) => {
  const link = random.pick([
    ' + a',
    ' && a',
    ', a',
    '.a',
    '->a',
    '(a)',
    '[a]',
    ' << a',
    '::a',
    ' || !a',
    ' = a',
    ' "a"',
    ' ? a : b',
    ';a()',
    ' else if (a) b();',
  ]);
  const { end } = tokenNear(text, random);
  return replaced(text, { start: end, end }, link.repeat(1 + random.below(random.chance(0.3) ? 4000 : 80)));
};

const joinsLines: Mutation = (text) => text.replace(/\s*\n\s*/g, ' ');

const lineEnds: Mutation = (text, random) => text.replace(/\n/g, random.pick(['\r\n', '\r', '\n\n', '\\\n', '\\\r\n', '\n\t']));

/** Half a word, as it stands in the editor while somebody types it. */
const halfTyped: Mutation = (text, random) => {
  const { start, end } = tokenNear(text, random);
  const half = start + random.below(end - start + 1);
  const lineEnd = text.indexOf('\n', half);
  return replaced(text, { start: half, end: lineEnd < 0 ? text.length : lineEnd }, '');
};

/** The small ones, several of which leave most of a text as it was, more often than those that break it for good. */
const small = [deletes, doubles, swaps, renames, inserts, removesLine, movesLine, halfTyped, removesRange, insertsConditional] as const;
const large = [cuts, splices, transplants, repeats, nests, chains, joinsLines, lineEnds] as const;

export function mutate(text: string, random: Random, partner: string): string {
  let mutated = text;
  const steps = 1 + random.below(random.chance(0.2) ? 30 : 5);
  for (let i = 0; i < steps && mutated.length > 0 && partner.length > 0; i++) {
    const mutation = random.pick(random.chance(0.7) ? small : large);
    mutated = mutation(mutated, random, partner).slice(0, maxLength);
  }
  return mutated;
}

/** The text as bytes of a file: in other encodings, and with bytes that are none. */
export function asBytes(text: string, random: Random): Uint8Array {
  const how = random.below(12);
  if (how === 0) return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (how === 1) return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  if (how === 2) return Buffer.from(text, 'latin1');
  const bytes = Buffer.from(how === 3 ? `\ufeff${text}` : text);
  if (how < 6 && bytes.length > 0) for (let i = 0; i <= random.below(8); i++) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  return bytes;
}
