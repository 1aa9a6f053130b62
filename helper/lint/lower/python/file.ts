// Imports, classes and the module body of a Python file.
import type { Assign, Variable } from '../../facts/index';
import { field, fields, type Node, named } from '../../syntax/node';
import { type ClassDraft, type FileContext, spanOf } from '../context';
import type { LoweredFunction } from '../function';
import { defineFunction } from './function-lowering';

export function lowerPythonFile(context: FileContext, root: Node): void {
  collectImports(context, root);
  defineFunction(context, root, { kind: 'module', name: '<module>', attributes: [] });
  context.functions.sort((a, b) => a.span.start - b.span.start);
}

function collectImports(context: FileContext, root: Node): void {
  for (const [name, origin] of root.children.flatMap((child) => importsIn(context, child))) context.imports.set(name, origin);
}

type Import = readonly [name: string, origin: string];

/** Of nodes that stay. */
const importsOf = new WeakMap<Node, readonly Import[]>();
const none: readonly Import[] = [];

function importsIn(context: FileContext, node: Node): readonly Import[] {
  if (node.type === 'import_statement') return importNames(context, node, '');
  if (node.type === 'import_from_statement') return importNames(context, node, `${context.textOf(field(node, 'module_name')!)}.`);
  if (node.children.length === 0 || /expression|call/.test(node.type)) return none;
  const before = importsOf.get(node);
  if (before) return before;
  const found = node.children.flatMap((child) => importsIn(context, child));
  const made = found.length > 0 ? found : none;
  importsOf.set(node, made);
  return made;
}

function importNames(context: FileContext, statement: Node, prefix: string): Import[] {
  return fields(statement, 'name').map((item): Import => {
    const origin = context.textOf(field(item, 'name') ?? item);
    const alias = field(item, 'alias');
    if (alias) return [context.textOf(alias), prefix + origin];
    return prefix ? [origin, prefix + origin] : [origin.split('.')[0]!, origin.split('.')[0]!];
  });
}

export function lowerClass(context: FileContext, node: Node): void {
  const nameNode = field(node, 'name')!;
  const draft: ClassDraft = {
    name: context.textOf(nameNode),
    kind: 'class',
    bases: named(field(node, 'superclasses')).map((base) => context.squeezed(base)),
    fields: [],
    methods: [],
    node,
    destructorElsewhere: false,
    constructorElsewhere: false,
    span: spanOf(node),
    nameSpan: spanOf(nameNode),
  };
  context.classes.set(draft.name, draft);
  for (const member of named(field(node, 'body'))) classMember(context, draft, member, []);
  collectSelfFields(draft);
}

function classMember(context: FileContext, draft: ClassDraft, member: Node, attributes: readonly string[]): void {
  if (member.type === 'decorated_definition') {
    const words = member.children.filter((child) => child.type === 'decorator').map((child) => context.squeezed(child));
    classMember(context, draft, field(member, 'definition')!, words);
  } else if (member.type === 'function_definition') {
    const name = context.textOf(field(member, 'name')!);
    const kind = name === '__init__' ? 'constructor' : name === '__del__' ? 'destructor' : 'method';
    const { fn } = defineFunction(context, member, { kind, name, attributes, className: draft.name });
    draft.methods.push(fn);
  } else if (member.type === 'class_definition') lowerClass(context, member);
  else if (member.type === 'expression_statement') draft.fields.push(...annotatedField(context, member));
}

/** `fd: int` in the body of a class, as data classes have it. */
function annotatedField(context: FileContext, statement: Node): readonly Variable[] {
  const before = annotated.get(statement);
  if (before) return before;
  const made = named(statement).flatMap((node): Variable[] => {
    const [left, type] = node.type === 'assignment' ? [field(node, 'left'), field(node, 'type')] : [];
    if (left?.type !== 'identifier' || !type) return [];
    return [{ name: context.textOf(left), type: context.squeezed(type), kind: 'field', span: spanOf(left), isStatic: false, init: undefined }];
  });
  annotated.set(statement, made);
  return made;
}

/** Of nodes that stay. */
const annotated = new WeakMap<Node, readonly Variable[]>();

/** `self.x = ...` declares a field where it is written first; `__init__` comes before the other methods. */
function collectSelfFields(draft: ClassDraft): void {
  const seen = new Set<string>(draft.fields.map(({ name }) => name));
  const first = (fn: LoweredFunction) => (fn.kind === 'constructor' ? 0 : 1);
  for (const method of [...draft.methods].sort((a, b) => first(a) - first(b))) {
    for (const event of method.events) {
      if (event.kind !== 'assign' || event.target.kind !== 'path' || event.target.path.kind !== 'this') continue;
      const [step, ...deeper] = event.target.path.steps;
      const name = step?.slice(1);
      if (!name || deeper.length > 0 || seen.has(name)) continue;
      seen.add(name);
      draft.fields.push(fieldOf(event, name));
    }
  }
}

/** Methods that stay have the same events: their fields stay too. */
const known = new WeakMap<Assign, Variable>();

function fieldOf(event: Assign, name: string): Variable {
  const before = known.get(event);
  if (before) return before;
  const made: Variable = { name, type: typeGiven(event), kind: 'field', span: event.target.span, isStatic: false, init: event.value };
  known.set(event, made);
  return made;
}

/** `self.x = x` of a parameter that says its type. */
function typeGiven({ fn, value }: Assign): string {
  const path = value?.kind === 'path' ? value.path : undefined;
  if (path?.kind !== 'param' || path.steps.length > 0) return '';
  return fn.params.find((param) => param.name === path.root)?.type ?? '';
}
