/** Numbers as people read them. Pure. */

/** Microseconds: "7.6", "327", "12 400". */
export function us(value: number): string {
  return value < 10 ? value.toFixed(1) : grouped(Math.round(value));
}

export function framesPerSecond(usPerFrame: number): string {
  return usPerFrame > 0 ? grouped(Math.round(1e6 / usPerFrame)) : '–';
}

/** Thin spaces between thousands. */
export function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}
