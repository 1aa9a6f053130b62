// JSON with places: every value and every fault knows where it stands.
import type { Span } from '../facts/index';

export type JsonNode =
  | { readonly kind: 'object'; readonly span: Span; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'array'; readonly span: Span; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly span: Span; readonly value: string }
  | { readonly kind: 'number'; readonly span: Span; readonly value: number }
  | { readonly kind: 'boolean'; readonly span: Span; readonly value: boolean }
  | { readonly kind: 'null'; readonly span: Span };

export interface JsonEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: JsonNode;
}

/** A fault of a configuration file, at its place. */
export interface ConfigProblem {
  readonly span: Span;
  readonly message: string;
}

class JsonFault extends Error {
  constructor(
    readonly span: Span,
    message: string,
  ) {
    super(message);
  }
}

const maxDepth = 100;
const stringLiteral = /"(?:\\.|[^"\\\r\n])*"/y;

/** Reads the whole text as one value. The first fault ends it. */
export function parseJson(text: string): JsonNode | ConfigProblem {
  try {
    return new JsonReader(text).all();
  } catch (error) {
    if (error instanceof JsonFault) return { span: error.span, message: error.message };
    throw error;
  }
}

export function isProblem(result: JsonNode | ConfigProblem): result is ConfigProblem {
  return 'message' in result;
}

class JsonReader {
  #at = 0;
  constructor(private readonly text: string) {}

  all(): JsonNode {
    if (this.text.startsWith('\ufeff')) this.#at = 1;
    this.#blanks();
    if (this.#at >= this.text.length)
      throw new JsonFault({ start: 0, end: this.text.length }, 'The file is empty. Write {} where nothing is to be set.');
    const value = this.#value(0);
    this.#blanks();
    if (this.#at < this.text.length) throw this.#fault('Nothing may follow the closing brace');
    return value;
  }

  #value(depth: number): JsonNode {
    if (depth > maxDepth) throw this.#fault('This is nested too deeply');
    const c = this.text[this.#at];
    if (c === '{') return this.#object(depth);
    if (c === '[') return this.#array(depth);
    const start = this.#at;
    if (c === '"') return { kind: 'string', value: this.#string(), span: { start, end: this.#at } };
    const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(this.text.slice(this.#at, this.#at + 40))?.[0];
    if (word === undefined) throw this.#fault('A value is missing here');
    this.#at += word.length;
    const span = { start, end: this.#at };
    if (word === 'null') return { kind: 'null', span };
    return word === 'true' || word === 'false' ? { kind: 'boolean', value: word === 'true', span } : { kind: 'number', value: Number(word), span };
  }

  #object(depth: number): JsonNode {
    const start = this.#at;
    const entries: JsonEntry[] = [];
    this.#list('}', () => {
      const keyStart = this.#at;
      if (this.text[keyStart] !== '"') throw this.#fault('A name in double quotes is missing here');
      const key = this.#string();
      const keySpan = { start: keyStart, end: this.#at };
      if (entries.some((entry) => entry.key === key)) throw new JsonFault(keySpan, `"${key}" is given twice.`);
      this.#blanks();
      if (this.text[this.#at] !== ':') throw this.#fault('A colon is missing here');
      this.#at++;
      this.#blanks();
      entries.push({ key, keySpan, value: this.#value(depth + 1) });
    });
    return { kind: 'object', entries, span: { start, end: this.#at } };
  }

  #array(depth: number): JsonNode {
    const start = this.#at;
    const items: JsonNode[] = [];
    this.#list(']', () => items.push(this.#value(depth + 1)));
    return { kind: 'array', items, span: { start, end: this.#at } };
  }

  /** Items between the present bracket and `close`, with commas between them. */
  #list(close: string, item: () => void): void {
    this.#at++;
    this.#blanks();
    if (this.text[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      item();
      this.#blanks();
      const c = this.text[this.#at];
      if (c !== ',' && c !== close) throw this.#fault(`A comma or "${close}" is missing here`);
      this.#at++;
      if (c === close) return;
      this.#blanks();
      if (this.text[this.#at] === close) throw this.#fault('JSON allows no comma before a closing bracket');
    }
  }

  #string(): string {
    stringLiteral.lastIndex = this.#at;
    const literal = stringLiteral.exec(this.text)?.[0];
    if (literal === undefined) throw this.#fault('This string does not end');
    const span = { start: this.#at, end: this.#at + literal.length };
    this.#at = span.end;
    try {
      return JSON.parse(literal) as string;
    } catch {
      throw new JsonFault(span, 'This string contains a wrong escape or a control character.');
    }
  }

  #blanks(): void {
    while (/[ \t\r\n]/.test(this.text[this.#at] ?? '')) this.#at++;
    if (this.text.startsWith('//', this.#at) || this.text.startsWith('/*', this.#at)) throw this.#fault('JSON allows no comments');
  }

  #fault(what: string): JsonFault {
    const start = Math.min(this.#at, this.text.length);
    const found = /^(?:\w+|.)/.exec(this.text.slice(start, start + 40))?.[0];
    const message = found === undefined ? `${what}: the file ends.` : `${what}, not "${found}".`;
    return new JsonFault({ start, end: start + (found?.length ?? 0) }, message);
  }
}
