// Comments and literals of C as parts of regular expressions: what looks like code in them is none.

export const comment = String.raw`//[^\n]*|/\*[\s\S]*?(?:\*/|$)`;
export const literal = String.raw`(?<!\\)"(?:\\.|[^"\\\n])*"|(?<!\\)'(?:\\.|[^'\\\n])*'`;
