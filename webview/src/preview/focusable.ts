/** Everything that Tab reaches. */
const SELECTOR = 'a[href], button, select, input, [tabindex]';

/** The names of what Tab reaches, in its order; empty for what a screen reader could not name. */
export function focusableNames(): string[] {
  const all = [...document.querySelectorAll<HTMLElement>(SELECTOR)];
  const reached = all.filter((each) => each.tabIndex >= 0 && !each.hasAttribute('disabled') && each.checkVisibility());
  return reached.map((each) => each.getAttribute('aria-label') ?? each.textContent?.trim() ?? '');
}
