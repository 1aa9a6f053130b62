// Expressions of C++ and CUDA that the grammar does not know. Each is rewritten in place, character for character, to something that means the
// same to every rule.
import { blank } from './arms';

const underlined = (written: string) => written.replace(/\W/g, '_');

/** `p->operator()(a)`, `m.operator Matrix()`. */
const operatorCall =
  /((?:\.|->)\s*(?:\w+\s*::\s*)*operator)(\s*(?:\(\s*\)|\[\s*\]|[-+*/%=!<>&|^~]{1,3})|\s+[A-Za-z_][\w:]*(?:<[^<>();{}]*>)?)(?=\s*\()/g;
/** `typename T::Shape{}` as a value. */
const typeName = /((?:[=(,]|\breturn)\s*)typename(?=\s+[A-Za-z_][\w:]*(?:<[^<>();{}]*>)?[\w:]*\s*[({])/g;
/** `decltype(table)(symbol)`. */
const decltypeCast = /((?:[=(,]|\breturn)\s*)decltype(?=\s*\([^();{}]*\)\s*\()/g;
const typeIdOfType = /\btypeid(?=\s*\(\s*(?:const\s+)?(?:unsigned|signed|char|short|int|long|float|double|bool|void)\b)/g;
/** `[lock{std::move(lock)}, &x](int y) {` */
const captures = /\[(?:[^[\](){};]|\{[^{}]*\}|\([^()]*\))*\](?=\s*(?:[({]|mutable\b))/g;
const bracedCapture = /(\w)\{([^{}]*)\}/g;
/** `void f(Range range = {})`, which lambdas and local classes cannot have. */
const emptyDefault = /([\w>&*]\s+[&*]*\w+\s*=\s*)\{(\s*)\}(?=\s*\))/g;
const endsEmpty = /\{\s*\}\s*\)/;
/** `kernel<<<grid, {x, y, 1}>>>(a)` */
const launch = /<<<[^<>;]*\{[^<>;]*>>>/g;
/** `if UNLIKELY (x)` */
const hint = /\b((?:if|while)\s+)([A-Z][A-Z_]{3,})(?=\s*\()/g;
/** `[=] XYZ_DEVICE(int i) {` and `XYZ_LAMBDA(int i) {` */
const markedLambda = /(\[[=&]\]\s*)([A-Z][A-Z0-9_]{3,})(?=\s*\()/g;
const namedLambda = /\b[A-Z][A-Z0-9]*_LAMBDA(?=\s*\([^(){};]*\)\s*(?:mutable\s*)?(?:->|\{))/g;

export function plainExpressions(text: string): string {
  let plain = text;
  if (plain.includes('<<<')) plain = plain.replace(launch, (written) => written.replace(/\{/g, '(').replace(/\}/g, ')'));
  if (plain.includes('operator')) plain = plain.replace(operatorCall, (_, head: string, what: string) => head + underlined(what));
  if (plain.includes('typename')) plain = plain.replace(typeName, (written, head: string) => head + blank(written.slice(head.length)));
  if (plain.includes('decltype')) plain = plain.replace(decltypeCast, '$1decl_of_');
  if (plain.includes('typeid')) plain = plain.replace(typeIdOfType, 'sizeof');
  if (plain.includes(']')) plain = plain.replace(captures, (written) => written.replace(bracedCapture, '$1=$2 '));
  if (endsEmpty.test(plain)) plain = plain.replace(emptyDefault, '$10$2 ');
  plain = plain.replace(hint, (_, head: string, name: string) => head + blank(name));
  if (plain.includes(']')) plain = plain.replace(markedLambda, (_, head: string, name: string) => head + blank(name));
  return plain.includes('_LAMBDA') ? plain.replace(namedLambda, (name) => '[=]'.padEnd(name.length)) : plain;
}
