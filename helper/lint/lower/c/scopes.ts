// Name lookup inside a function: which variable does an identifier mean?
import type { Path, Variable } from '../../facts/index';

export class Scopes {
  readonly #frames: Map<string, Variable>[] = [new Map()];
  /** Locals of the enclosing function that this lambda used. */
  readonly captured = new Set<string>();
  readonly all: Variable[] = [];

  constructor(
    private readonly fields: ReadonlySet<string>,
    private readonly isMethod: boolean,
    private readonly outer: Scopes | undefined,
  ) {}

  push(): void {
    this.#frames.push(new Map());
  }
  pop(): void {
    this.#frames.pop();
  }
  add(variable: Variable): void {
    this.#frames.at(-1)!.set(variable.name, variable);
    if (variable.kind === 'local') this.all.push(variable);
  }

  find(name: string): Variable | undefined {
    for (let i = this.#frames.length - 1; i >= 0; i--) {
      const found = this.#frames[i]!.get(name);
      if (found) return found;
    }
    return undefined;
  }

  /** The local, parameter or captured variable of a name. */
  visible(name: string): Variable | undefined {
    return this.find(name) ?? this.outer?.visible(name);
  }

  typeOf(name: string): string | undefined {
    return this.visible(name)?.type;
  }

  resolve(name: string): Path {
    const own = this.find(name);
    if (own) return { root: name, kind: own.isStatic ? 'global' : own.kind === 'param' ? 'param' : 'local', steps: [], declared: own };
    const outer = this.outer?.visible(name);
    if (outer) {
      this.captured.add(name);
      return { root: name, kind: 'captured', steps: [], declared: outer };
    }
    if (this.#isField(name)) return { root: 'this', kind: 'this', steps: [`.${name}`] };
    return { root: name, kind: 'global', steps: [] };
  }

  binds(name: string): boolean {
    return this.visible(name) !== undefined;
  }

  /** A field by its declaration, or by its spelling in a method whose class is declared elsewhere. */
  #isField(name: string): boolean {
    return this.fields.has(name) || (this.isMethod && /^m_\w|^_?[a-z]\w*_$/.test(name));
  }
}
