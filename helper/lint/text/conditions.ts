// Evaluates the conditions of #if lines. Every atom gets a value from the caller, so the answer is always definite.

/** `asksDefined`: whether it is defined, not what it is. */
export type MacroValue = (atom: string, asksDefined: boolean) => boolean;

/** Nobody nests conditions deeper; what does is cut off there. */
const maxDepth = 500;

class Condition {
  #at = 0;
  #depth = 0;
  readonly #tokens: string[];

  constructor(
    text: string,
    private readonly value: MacroValue,
  ) {
    this.#tokens = text.match(/&&|\|\||[<>=!]=|[A-Za-z_]\w*|\d[\w.']*|\S/g) ?? [];
  }

  or(): boolean {
    let result = this.#and();
    while (this.#take('||')) result = this.#and() || result;
    return result;
  }

  #and(): boolean {
    let result = this.#unary();
    while (this.#take('&&')) result = this.#unary() && result;
    return result;
  }

  #unary(): boolean {
    let holds = true;
    while (this.#take('!')) holds = !holds;
    return (this.#take('(') ? this.#group() : this.#atom()) === holds;
  }

  /** Behind its opening parenthesis. */
  #group(): boolean {
    if (++this.#depth > maxDepth) this.#at = this.#tokens.length;
    const inner = this.or();
    this.#take(')');
    this.#depth--;
    return inner;
  }

  /** `defined(X)`, `0`, `X` or a comparison, whose whole text is the atom. */
  #atom(): boolean {
    if (this.#take('defined')) {
      const paren = this.#take('(');
      const name = this.#next();
      if (paren) this.#take(')');
      return this.value(name, true);
    }
    let depth = 0;
    let atom = '';
    for (let token = this.#peek(); token !== ''; token = this.#peek()) {
      if (depth === 0 && (token === '&&' || token === '||' || token === ')')) break;
      depth += token === '(' ? 1 : token === ')' ? -1 : 0;
      atom += this.#next();
    }
    return /^\d+[uUlL]*$/.test(atom) ? Number.parseInt(atom, 10) !== 0 : this.value(atom, false);
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }
  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }
  #take(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at++;
    return true;
  }
}

export function evaluateCondition(text: string, value: MacroValue): boolean {
  const bare = text
    .replace(/\/\*.*?(?:\*\/|$)/g, ' ')
    .replace(/\/\/.*$/, '')
    .replace(/\\\r?\n/g, ' ');
  return new Condition(bare, value).or();
}
