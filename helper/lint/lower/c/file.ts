// Finds the functions, classes and globals of a C-family file.
import type { FunctionKind, Variable } from '../../facts/index';
import { childOf, contains, field, type Node, named } from '../../syntax/node';
import { withoutLastTemplate, wordAtEnd } from '../../text/words';
import { type ClassDraft, type FileContext, functionPointer, spanOf } from '../context';
import { type Body, LoweredFunction } from '../function';
import { aliasesIn } from './aliases';
import { lastComponent } from './calls';
import { attributesOf, declaratorsOf, declared, hasStorage, parametersOf, typeText } from './declarators';
import { CFunction, isDefaulted, lowerBody } from './function-lowering';

export interface Definition {
  readonly node: Node;
  readonly owner: string | undefined;
  /** Words that stand for what is written around the definition. */
  readonly marks: Marks;
}

type Marks = readonly string[];
const template = 'template';
const unnamed = 'unnamed namespace';

/** @returns the definitions of functions */
export function lowerCFile(context: FileContext, root: Node): readonly Definition[] {
  const definitions: Definition[] = [];
  context.aliases = aliasesIn(context, root);
  collect(context, root, [], definitions);
  for (const { node } of definitions) {
    const body = field(node, 'body');
    if (!body) continue;
    const { name, firstType } = context.remembered(node, 'signature', () => {
      const head = headOf(context, node, undefined);
      return { name: head.name, firstType: head.params[0]?.type };
    });
    context.knowledge.addFunction(name, context.textOf(body), firstType);
  }
  // Every class is known by now.
  context.settle();
  for (const definition of definitions) {
    const fn = defineFunction(context, definition);
    if (fn) context.classes.get(fn.className ?? '')?.methods.push(fn);
  }
  context.functions.sort((a, b) => a.span.start - b.span.start);
  return definitions;
}

const record = /^(struct|class|union)_specifier$/;

function collect(context: FileContext, node: Node, marks: Marks, out: Definition[]): void {
  for (const child of node.children) {
    if (record.test(child.type) && field(child, 'body')) collectClass(context, child, out);
    else if (child.type === 'function_definition') {
      collectLocalTypes(context, child, out);
      out.push({ node: child, owner: undefined, marks });
    } else if (child.type === 'declaration' || child.type === 'type_definition') {
      collectTypes(context, child, out);
      if (child.type === 'declaration') collectGlobals(context, child);
    } else if (child.children.length > 0 && !/expression|statement$|^preproc_def|^preproc_function/.test(child.type)) {
      collect(context, child, marksInside(child, marks), out);
    } else if (child.type === 'compound_statement' || child.type === 'expression_statement') collectTypes(context, child, out);
  }
}

function marksInside(node: Node, marks: Marks): Marks {
  if (node.type === 'template_declaration') return [...marks, template];
  return node.type === 'namespace_definition' && !field(node, 'name') ? [...marks, unnamed] : marks;
}

export function isRecordBody(node: Node): boolean {
  return record.test(node.type) && field(node, 'body') !== undefined;
}

function collectLocalTypes(context: FileContext, definition: Node, out: Definition[]): void {
  const hasAny = context.remembered(definition, 'has records', () => contains(definition, isRecordBody));
  if (hasAny) collectTypes(context, definition, out);
}

/** Records defined inside a declaration (`struct A { ... } a;`) or in a function's body. */
function collectTypes(context: FileContext, node: Node, out: Definition[]): void {
  for (const child of node.children) {
    if (record.test(child.type) && field(child, 'body')) collectClass(context, child, out, typedefName(context, node));
    else if (child.children.length > 0) collectTypes(context, child, out);
  }
}

function typedefName(context: FileContext, node: Node): string | undefined {
  return node.type === 'type_definition' ? context.textOf(field(node, 'declarator') ?? { start: 0, end: 0 }) : undefined;
}

function collectClass(context: FileContext, node: Node, out: Definition[], alias?: string): void {
  const nameNode = field(node, 'name');
  const name = nameNode ? lastComponent(context.textOf(nameNode)) : (alias ?? '');
  const draft: ClassDraft = {
    name,
    kind: node.type.replace('_specifier', '') as ClassDraft['kind'],
    bases: named(childOf(node, 'base_class_clause'))
      .filter((child) => child.type !== 'access_specifier')
      .map((child) => context.squeezed(child)),
    fields: [],
    methods: [],
    node,
    destructorElsewhere: false,
    constructorElsewhere: false,
    span: spanOf(node),
    nameSpan: spanOf(nameNode ?? node),
  };
  if (name && !context.classes.has(name)) context.classes.set(name, draft);
  if (alias && !context.classes.has(alias)) context.classes.set(alias, draft);
  for (const member of named(field(node, 'body'))) collectMember(context, draft, member, out);
}

function collectMember(context: FileContext, draft: ClassDraft, member: Node, out: Definition[]): void {
  const inner = innerOf(member);
  if (inner.type === 'function_definition') {
    if (!isDefaulted(inner)) out.push({ node: inner, owner: draft.name, marks: inner === member ? [] : [template] });
    return;
  }
  if (record.test(inner.type) && field(inner, 'body')) {
    collectClass(context, inner, out);
    return;
  }
  if (memberDeclaration.test(inner.type)) {
    collectTypes(context, inner, out);
    collectFields(context, draft, inner);
  }
}

const memberDeclaration = /^(field_)?declaration$/;

function innerOf(member: Node): Node {
  return member.type === 'template_declaration' ? (named(member).at(-1) ?? member) : member;
}

/** The declarations of fields and methods in the body of a class. */
export function memberDeclarationsIn(node: Node): Node[] {
  return named(field(node, 'body'))
    .map(innerOf)
    .filter(({ type }) => memberDeclaration.test(type));
}

/** The name under which a declaration in a class is remembered with its node. */
export const membersKind = 'members';

export function collectFields(context: FileContext, draft: ClassDraft, declaration: Node): void {
  const { fields, functions } = context.remembered(declaration, membersKind, () => membersOf(context, declaration));
  draft.fields.push(...fields);
  draft.destructorElsewhere ||= functions.includes('~');
  draft.constructorElsewhere ||= functions.includes(draft.name);
}

/** Fields, and the names of declared functions; `~` for a destructor. */
function membersOf(context: FileContext, declaration: Node): { fields: Variable[]; functions: string[] } {
  const fields: Variable[] = [];
  const functions: string[] = [];
  for (const { declarator, init } of declaratorsOf(declaration)) {
    const target = declared(declarator);
    if (!target) continue;
    if (target.name.type === 'destructor_name') functions.push('~');
    if (target.functionOf) functions.push(context.textOf(target.name));
    if (target.functionOf && field(target.functionOf, 'declarator')?.type !== 'parenthesized_declarator') continue;
    fields.push(variable(context, declaration, target, init, 'field'));
  }
  return { fields, functions };
}

function variable(
  context: FileContext,
  declaration: Node,
  target: { name: Node; suffix: string },
  init: Node | undefined,
  kind: 'field' | 'global',
): Variable {
  return {
    name: context.textOf(target.name),
    type: typeText(context, declaration, target.suffix),
    kind,
    span: spanOf(target.name),
    isStatic: hasStorage(context, declaration, 'static'),
    isThreadLocal: hasStorage(context, declaration, 'thread_local'),
    init: init && detached(context, declaration).expr(init),
  };
}

/** Each has a list of its own: what is known of the variables of a function is kept by it. */
const emptyBody = (): Body => ({
  locals: [],
  blocks: [{ id: 0, events: [], edges: [] }],
  entry: 0,
  exit: 0,
  throwExit: 0,
  events: [],
  degraded: undefined,
});

/** Lowers an expression outside any function; its events go nowhere. */
function detached(context: FileContext, node: Node): CFunction {
  const head = headOf(context, node, undefined);
  const fn = new LoweredFunction(head, emptyBody);
  return new CFunction(context, fn, undefined);
}

function collectGlobals(context: FileContext, declaration: Node): void {
  const found = context.remembered(declaration, 'globals', () => ({
    isExtern: hasStorage(context, declaration, 'extern'),
    globals: globalsOf(context, declaration),
  }));
  // Somebody else's variables are of no interest but for what they tell about a call.
  if (!found.isExtern) context.globals.push(...found.globals);
  else for (const { name, type } of found.globals) if (functionPointer.test(type)) context.externPointers.set(name, type);
}

function globalsOf(context: FileContext, declaration: Node): Variable[] {
  const globals: Variable[] = [];
  for (const { declarator, init } of declaratorsOf(declaration)) {
    const target = declared(declarator);
    if (!target || target.name.type === 'destructor_name') continue;
    if (target.functionOf && field(target.functionOf, 'declarator')?.type !== 'parenthesized_declarator') continue;
    globals.push(variable(context, declaration, target, init, 'global'));
  }
  return globals;
}

export function headOf(context: FileContext, node: Node, owner: string | undefined) {
  const target = declared(field(node, 'declarator'));
  const written = target ? context.squeezed(target.name) : '';
  const name = lastComponent(written);
  const scope = scopeOf(written);
  const className = owner ?? (scope && isClass(context, scope, name) ? scope : undefined);
  return {
    name,
    qualifiedName: className ? `${className}::${name}` : written,
    className,
    kind: kindOf(name, className),
    params: parametersOf(context, target?.functionOf),
    returnType: target ? typeText(context, node, target.suffix) : '',
    attributes: attributesOf(context, node),
    span: spanOf(node),
    nameSpan: spanOf(target?.name ?? node),
    parent: undefined,
    capturesByValue: new Set<string>(),
  };
}

/** `Class` of `ns::Class<T>::method`. */
function scopeOf(written: string): string | undefined {
  const method = /::[~\w]+$/.exec(written);
  return method ? wordAtEnd(withoutLastTemplate(written.slice(0, method.index))) : undefined;
}

/** `a::f` is a method when `a` is a class here or looks like one; namespaces are mostly lower case. */
function isClass(context: FileContext, scope: string, name: string): boolean {
  return context.isClass(scope) || scope === name || name.startsWith('~') || /^[A-Z]/.test(scope);
}

function kindOf(name: string, className: string | undefined): FunctionKind {
  if (!className) return 'function';
  if (name.startsWith('~')) return 'destructor';
  return name === className ? 'constructor' : 'method';
}

/** The name under which a definition is remembered with its node. */
export function kindOfDefinition({ owner, marks }: Definition): string {
  return `function of ${[owner, ...marks]}`;
}

/** Undefined without a body. */
export function defineFunction(context: FileContext, definition: Definition): LoweredFunction | undefined {
  const { node, owner, marks } = definition;
  const body = field(node, 'body') ?? childOf(node, 'try_statement');
  if (!body) return undefined;
  return context.remembered(node, kindOfDefinition(definition), () => {
    const members = childOf(node, 'field_initializer_list');
    const head = headOf(context, node, owner);
    head.attributes.push(...marks);
    const made = new LoweredFunction(head, lowerBody(context, body, undefined, members).lower);
    context.functions.push(made);
    void made.body;
    return made;
  });
}
