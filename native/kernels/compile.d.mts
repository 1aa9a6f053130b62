/** Names of the sources without their ending. */
export const kernels: string[];
/** SHA-256 of NAME.cu in hex. */
export function sourceHash(name: string): string;
/** The text of NAME.ptx; throws without nvcc. */
export function compile(name: string): string;
