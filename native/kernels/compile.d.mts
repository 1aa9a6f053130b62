/** SHA-256 of seam.cu in hex. */
export function sourceHash(): string;
/** The text of seam.ptx; throws without nvcc. */
export function compile(): string;
