// What a declaration needs around it to be read without the rest of its text: all that the parser could know of its place.
import type { TextEdit } from '../text/edit';
import type { Node } from './node';
import type { Piece } from './piece';

/** Text to be put before and behind a declaration. */
export interface Surroundings {
  readonly before: string;
  readonly after: string;
}

const declaration = /^(function_definition|declaration|field_declaration)$/;

/** They are over with their last character: nothing that follows could belong to them. */
const closed =
  /^(function_definition|declaration|field_declaration|namespace_definition|linkage_specification|template_declaration|type_definition|alias_declaration|using_declaration|static_assert_declaration|friend_declaration|template_instantiation|namespace_alias_definition|preproc_(def|function_def|include|call)|access_specifier|[{};:])$/;

/** Stands for what is beside a declaration. */
const neighbour = ' int q; ';
/** Ends a comment that reaches further than the declaration, which is then no whole one any more. */
const endOfComment = ' /**/ ';

const openings: Readonly<Record<string, readonly [before: string, after: string]>> = {
  translation_unit: ['', ''],
  namespace_definition: ['namespace n ', ''],
  linkage_specification: ['extern "C" ', ''],
  declaration_list: ['{', '}'],
  class_specifier: ['class C ', ';'],
  struct_specifier: ['struct C ', ';'],
  union_specifier: ['union C ', ';'],
  field_declaration_list: ['{', '}'],
  template_declaration: ['template <typename T> ', ''],
};

const list = /^(translation_unit|declaration_list|field_declaration_list)$/;

/** `path` leads from the root to the declaration. Undefined when what is around it could have a part in how it is read. */
export function surroundingsOf(path: readonly Piece[]): Surroundings | undefined {
  const last = path.at(-1)?.node;
  if (!last || (last.broken && !isBrokenInside(last)) || !declaration.test(last.type) || !isApart(path)) return undefined;
  let [before, after] = ['', endOfComment];
  for (let i = path.length - 2; i >= 0; i--) {
    const opening = openings[path[i]!.node.type];
    if (!opening || !isUsual(path[i]!, path[i + 1]!)) return undefined;
    const [left, right] = neighboursOf(path[i]!, path[i + 1]!);
    before = opening[0] + (left && left.node.type !== '{' ? neighbour : '') + before;
    after += (right && right.node.type !== '}' ? neighbour : '') + opening[1];
  }
  return { before, after };
}

/** One that is being typed begins and ends as it should: a function with an error between its braces, a variable with one before its semicolon. */
export function isBrokenInside({ type, children }: Node): boolean {
  const last = children.at(-1);
  if (type !== 'function_definition') return last?.type === ';' && !last.broken;
  if (last?.type !== 'compound_statement') return false;
  const [opening, closing] = [last.children[0], last.children.at(-1)];
  const hasBraces = opening?.type === '{' && closing?.type === '}' && !opening.broken && !closing.broken;
  return hasBraces && children.every((child) => child === last || !child.broken);
}

/** All errors of a tree are within one node, which begins and ends at these places. */
export function isBrokenOnlyIn(node: Node, start: number, end: number): boolean {
  if (!node.broken || (node.start === start && node.end === end && node.type !== 'translation_unit')) return true;
  return node.type !== 'ERROR' && node.children.length > 0 && node.children.every((child) => isBrokenOnlyIn(child, start, end));
}

/** What is beside the last piece is sound, and over where that begins. */
function isApart(path: readonly Piece[]): boolean {
  const i = path.findLastIndex(({ node }) => list.test(node.type));
  if (i < 0) return false;
  const [left, right] = neighboursOf(path[i]!, path[i + 1]!);
  return !right?.node.broken && (!left || (!left.node.broken && closed.test(left.node.type)));
}

/** What is written here in other ways than `openings` says is left to the parser of the whole. */
function isUsual({ node, parts }: Piece, inner: Piece): boolean {
  switch (node.type) {
    case 'template_declaration':
      return parts.length === 3 && parts[2] === inner && parts[1]!.node.type === 'template_parameter_list';
    case 'namespace_definition':
      return inner.node.type === 'declaration_list';
    case 'class_specifier':
    case 'struct_specifier':
    case 'union_specifier':
      return inner.node.type === 'field_declaration_list';
    default:
      return true;
  }
}

/** What stands before and behind in a list, comments aside. */
function neighboursOf({ node, parts }: Piece, inner: Piece): [Piece | undefined, Piece | undefined] {
  if (!list.test(node.type)) return [undefined, undefined];
  const at = parts.indexOf(inner);
  const next = (step: number) => {
    let i = at + step;
    while (parts[i]?.node.type === 'comment') i += step;
    return parts[i];
  };
  return [next(-1), next(1)];
}

/** Characters by which comments, literals and directives begin or end. */
const structural = /[/*"'\\#]/;

/** Comments and literals begin and end where they did, in the whole text too. */
export function keepsStructure(before: string, after: string, { start, oldEnd, newEnd }: TextEdit): boolean {
  return !structural.test(before.slice(start - 1, oldEnd + 1)) && !structural.test(after.slice(start - 1, newEnd + 1));
}

/** A raw string may end far behind what it seems to be a part of. */
export function hasOpenRawString(text: string): boolean {
  return text.includes('R"') && /R"/.test(text.replace(/R"([^()\\\s"]*)\([\s\S]*?\)\1"/g, ''));
}
