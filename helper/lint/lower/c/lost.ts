// Functions that no facts tell of, or not all that they do: the text does not parse, and their statements belong to nobody.
import type { Node } from '../../syntax/node';
import { namesSeam } from '../../text/seam-names';
import { declaratorsOf, declared } from './declarators';

export interface LostFunction {
  readonly name: string;
  /** Of the name. */
  readonly start: number;
}

/** Those that name something of the seam, in order of the source. */
export function lostIn(root: Node, text: string): LostFunction[] {
  if (!root.broken) return [];
  const search = new Search(text);
  search.within(root);
  return [...search.found];
}

const holdsFunctions =
  /^(ERROR|translation_unit|namespace_definition|declaration_list|linkage_specification|field_declaration_list)$|^preproc_(if|ifdef|else|elif)$/;
const record = /^(struct|class|union)_specifier$/;

class Search {
  readonly found = new Set<LostFunction>();
  /** The function that was begun last. */
  #last: LostFunction | undefined;
  /** Its brace is open. */
  #isOpen = false;

  constructor(private readonly text: string) {}

  within(node: Node): void {
    let declarator: Node | undefined;
    for (const child of node.children) {
      if (declared(child)?.functionOf && child.type.endsWith('declarator')) declarator = child;
      else if (child.type === '{' && node.type === 'ERROR') {
        this.#open(declarator, node, child);
        declarator = undefined;
      } else this.#look(child);
    }
  }

  #open(declarator: Node | undefined, error: Node, brace: Node): void {
    const head = declarator ? this.#named(declarator) : this.#isOpen ? undefined : this.#typed(error.start, brace.start);
    if (!head) return;
    this.#last = head;
    this.#isOpen = true;
    if (namesSeam(this.text.slice(head.start + head.name.length, brace.start))) this.found.add(head);
  }

  #look(child: Node): void {
    if (child.type === 'function_definition') this.#close(child.children.find(({ field }) => field === 'declarator'));
    else if (child.type === 'declaration' && !this.#isOpen && prototypeIn(child)) this.#close(prototypeIn(child));
    else if (record.test(child.type) || (holdsFunctions.test(child.type) && child.children.length > 0)) this.within(child);
    else if (this.#last && this.#isLost(child) && namesSeam(this.text.slice(child.start, child.end))) this.found.add(this.#last);
  }

  /** A whole function, or what may be the head of one that lacks its brace. */
  #close(declarator: Node | undefined): void {
    this.#last = this.#named(declarator) ?? this.#last;
    this.#isOpen = false;
  }

  #isLost({ type, start, end }: Node): boolean {
    if (type === 'comment' || type.startsWith('preproc')) return false;
    if (this.#isOpen) return true;
    return type === 'expression_statement' ? !macroUse.test(this.text.slice(start, end)) : statement.test(type);
  }

  #named(declarator: Node | undefined): LostFunction | undefined {
    const name = declared(declarator)?.name;
    return name && { name: this.text.slice(name.start, name.end), start: name.start };
  }

  /** The head of a function whose list of parameters does not parse. */
  #typed(from: number, to: number): LostFunction | undefined {
    let start = to;
    while (start > from && !/[;{}]/.test(this.text[start - 1]!)) start--;
    const head = this.text.slice(start, to);
    const [, name] = /([\w:~]+)\s*\(/.exec(head) ?? [];
    if (name === undefined || /\b(struct|class|union|enum|namespace)\b/.test(head)) return undefined;
    return { name, start: to - head.length + head.indexOf(name) };
  }
}

/** Stands outside of functions with good reason. */
const macroUse = /^[A-Z][A-Z0-9_]*\s*[(;]/;
const statement = /^(if|for|while|do|switch|return|try|throw|goto)_statement$|^for_range_loop$/;

function prototypeIn(declaration: Node): Node | undefined {
  return declaratorsOf(declaration).find(({ declarator }) => declared(declarator)?.functionOf)?.declarator;
}
