// C declarators turn a declaration inside out: `void (*del)(int)` declares `del`.
import type { Variable } from '../../facts/index';
import { childOf, field, fields, hasToken, type Node, named } from '../../syntax/node';
import type { FileContext } from '../context';
import { spanOf } from '../context';

export interface Declared {
  readonly name: Node;
  /** Pointer, reference and array parts in order of reading. */
  readonly suffix: string;
  /** Set when the outermost derivation is a function: a prototype, not a variable. */
  readonly functionOf: Node | undefined;
}

const names = new Set([
  'identifier',
  'field_identifier',
  'qualified_identifier',
  'destructor_name',
  'operator_name',
  'type_identifier',
  'template_function',
]);

/** Unwraps a declarator to the name it declares. */
export function declared(declarator: Node | undefined): Declared | undefined {
  let node = declarator;
  let suffix = '';
  let functionOf: Node | undefined;
  while (node && !names.has(node.type)) {
    if (node.type === 'pointer_declarator') {
      suffix = `*${suffix}`;
      functionOf = undefined;
    } else if (node.type === 'reference_declarator') {
      suffix = `${hasToken(node, '&&') ? '&&' : '&'}${suffix}`;
      functionOf = undefined;
    } else if (node.type === 'array_declarator') suffix += '[]';
    else if (node.type === 'function_declarator') functionOf = node;
    node = inner(node);
  }
  return node ? { name: node, suffix, functionOf } : undefined;
}

function inner(node: Node): Node | undefined {
  return field(node, 'declarator') ?? named(node).find((child) => /declarator|identifier|_name$/.test(child.type));
}

/** `const VkImage*` from the specifiers of a declaration and the declarator's suffix. */
export function typeText(context: FileContext, declaration: Node, suffix: string): string {
  const parts = declaration.children.filter((child) => child.field === 'type' || child.type === 'type_qualifier');
  return parts.map((part) => (isRecord(part) ? recordName(context, part) : context.unaliased(context.squeezed(part)))).join(' ') + suffix;
}

function isRecord(node: Node): boolean {
  return /^(struct|class|union|enum)_specifier$/.test(node.type);
}

/** `struct plane` is `plane`: C spells the tag, rules should not care. */
function recordName(context: FileContext, node: Node): string {
  return context.squeezed(field(node, 'name'));
}

export function hasStorage(context: FileContext, declaration: Node, word: string): boolean {
  return declaration.children.some((child) => child.type === 'storage_class_specifier' && context.textOf(child) === word);
}

export function attributesOf(context: FileContext, definition: Node): string[] {
  const words = /specifier$|^attribute|^__/;
  return definition.children.filter((child) => words.test(child.type) && child.field !== 'type').map((child) => context.squeezed(child));
}

export function parametersOf(context: FileContext, declarator: Node | undefined): Variable[] {
  const list = childOf(declarator, 'parameter_list');
  const params = named(list).filter((child) => /parameter_declaration$/.test(child.type));
  return params
    .map((param) => {
      const target = declared(field(param, 'declarator'));
      const type = typeText(context, param, target?.suffix ?? context.squeezed(field(param, 'declarator')));
      return {
        name: target ? context.textOf(target.name) : '',
        type,
        kind: 'param' as const,
        span: spanOf(target?.name ?? param),
        isStatic: false,
        init: undefined,
      };
    })
    .filter((param) => param.type !== 'void');
}

/** Declarators of a declaration with their initialisers: `int a, *b = 0` gives two. */
export function declaratorsOf(declaration: Node): { declarator: Node; init: Node | undefined }[] {
  return fields(declaration, 'declarator').map((declarator) =>
    declarator.type === 'init_declarator'
      ? { declarator: field(declarator, 'declarator')!, init: field(declarator, 'value') }
      : { declarator, init: followingDefault(declaration, declarator) },
  );
}

/** The default member initialiser of a field declarator, or what a condition declares: `if (auto x = f())`. */
function followingDefault(declaration: Node, declarator: Node): Node | undefined {
  const at = declaration.children.indexOf(declarator);
  const isValue = (child: Node) => child.field === 'default_value' || child.field === 'value';
  const next = declaration.children.slice(at + 1).find((child) => isValue(child) || child.type === ',');
  return next && isValue(next) ? next : undefined;
}
