// `kernel CUDA_KERNEL(grid, block, 0, stream)(args);`, whose macro is `<<< ... >>>` for the compiler and nothing for an editor. It is read as the
// call of a call, `kernel$$$$$$$$$$$$(grid, block, 0, stream)(args)`, character for character: the lowering knows the name of the kernel by its end.

const arguments_ = String.raw`\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\)`;
const launch = new RegExp(
  String.raw`(?<![\w.:>])((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)(<[^<>;(){}]*>)?([ \t]+[A-Z_]*(?:KERNEL|LAUNCH|CUDA|GRID)[A-Z0-9_]*[ \t]*)(?=(${arguments_})\s*\()`,
  'g',
);
/** One of them is in the name of each. */
const words = ['KERNEL', 'LAUNCH', 'CUDA', 'GRID'];
/** What begins the head of a function whose name a macro makes. */
const type = /^(?:void|auto|bool|int|float|double|static|inline|extern|const|return|else|new|struct)$/;

export function plainMacroLaunches(text: string): string {
  if (!words.some((word) => text.includes(word))) return text;
  return text.replace(launch, (written, kernel: string, template: string | undefined, macro: string, config: string) => {
    if (type.test(kernel) || !hasTwo(config)) return written;
    return kernel + `${template ?? ''}${macro}`.replace(/[^\w\r\n]/g, '$').replace(macro.trim(), (name) => '$'.repeat(name.length));
  });
}

/** Grid and block, at least. */
function hasTwo(config: string): boolean {
  let depth = 0;
  for (const c of config) {
    if (c === '(') depth++;
    if (c === ')') depth--;
    if (c === ',' && depth === 1) return true;
  }
  return false;
}

/** The name of the kernel, if a text is the callee of such a launch. */
export function launchedByMacro(callee: string): string | undefined {
  return /^([^$]+)\$/.exec(callee)?.[1];
}
