// Names that a file gives to types, `using EventPtr = std::shared_ptr<CUevent_st>;`: declared types are read as what they stand for.
import { childOf, field, type Node, named } from '../../syntax/node';
import { splitTemplate } from '../../text/words';
import type { FileContext } from '../context';

export interface Alias {
  /** Of a template: `T` of `template <typename T> using Ptr = std::unique_ptr<T, Free>;`. */
  readonly params: readonly string[];
  readonly type: string;
}

/** Templates and handles of APIs: what else types are called makes no difference to anybody. */
const telling = /<|^(vk::|Vk[A-Z]|CU[a-z]|cuda[A-Z]|hip[A-Z]|EGL[A-Z]|GL[a-z])/;
/** A file that declares an API's own names says nothing new about them. */
const ofApis = /^(Vk|CU|cu[A-Z]|cuda|hip|EGL|GL|gl|PFN|vk)/;

/** The aliases outside of functions; a name that stands for several types stands for none. */
export function aliasesIn(context: FileContext, root: Node): ReadonlyMap<string, Alias> {
  const found = new Map<string, Alias | undefined>();
  collect(context, root, [], (name, alias) => {
    const before = found.get(name);
    found.set(name, found.has(name) && before?.type !== alias.type ? undefined : alias);
  });
  return new Map([...found].flatMap(([name, alias]) => (alias && !ofApis.test(name) && telling.test(alias.type) ? [[name, alias]] : [])));
}

const around =
  /^(translation_unit|namespace_definition|declaration_list|linkage_specification|(class|struct)_specifier|field_declaration_list|preproc_\w+)$/;

function collect(context: FileContext, node: Node, params: readonly string[], add: (name: string, alias: Alias) => void): void {
  for (const child of node.children) {
    if (child.type === 'alias_declaration') {
      const type = field(child, 'type');
      if (type) add(context.textOf(field(child, 'name')!), { params, type: context.squeezed(type) });
    } else if (child.type === 'type_definition') {
      const [name, type] = [field(child, 'declarator'), field(child, 'type')];
      if (name?.type === 'type_identifier' && type && !/_specifier$/.test(type.type))
        add(context.textOf(name), { params: [], type: context.squeezed(type) });
    } else if (child.type === 'template_declaration') {
      const names = named(childOf(child, 'template_parameter_list')).map((each) => context.squeezed(each).split(/[\s.]/).at(-1)!);
      collect(context, child, names, add);
    } else if (around.test(child.type)) collect(context, child, params, add);
  }
}

const word = /(?:\w+::)*([A-Za-z_]\w*)(<)?/g;

/** Aliases of aliases with many arguments would multiply. */
const longest = 4000;

/** A type with its aliases replaced, those in the arguments of templates too. */
export function withoutAliases(type: string, aliases: ReadonlyMap<string, Alias>, depth = 4): string {
  if (aliases.size === 0 || depth === 0) return type;
  word.lastIndex = 0;
  let result = '';
  let at = 0;
  for (const match of type.matchAll(word)) {
    const alias = match.index < at ? undefined : aliases.get(match[1]!);
    const given = alias && match[2] ? argumentsAt(type, match.index + match[0].length) : undefined;
    if (!alias || (given?.list.length ?? 0) !== alias.params.length) continue;
    result += type.slice(at, match.index) + filled(alias, given?.list ?? []);
    at = given ? given.end : match.index + match[0].length;
  }
  const longer = result + type.slice(at);
  return at === 0 || longer.length > longest ? type : withoutAliases(longer, aliases, depth - 1);
}

function filled({ params, type }: Alias, given: readonly string[]): string {
  return type.replace(/[A-Za-z_]\w*/g, (name) => given[params.indexOf(name)] ?? name);
}

/** The arguments of a template behind its `<`, and where they end. */
function argumentsAt(type: string, from: number): { list: string[]; end: number } | undefined {
  let depth = 1;
  for (let i = from; i < type.length; i++) {
    if (type[i] === '<') depth++;
    if (type[i] === '>' && --depth === 0) return { list: splitTemplate(type.slice(from, i)), end: i + 1 };
  }
  return undefined;
}
