import type { Panel } from './feature';

/** While B is held the reference is shown in place of the live frame: the eye sees differences best when two pictures alternate. */
export function handlePeek(target: HTMLElement, panel: Panel): void {
  let before: { mode: 'off' | 'difference' | 'swipe'; split: number } | null = null;
  const { compare } = panel.session.wishes;
  const release = () => {
    if (!before) return;
    if (compare.reference > 0) Object.assign(compare, before);
    before = null;
    panel.actions.wish();
  };
  target.addEventListener('keydown', ({ key, repeat, ctrlKey, metaKey }) => {
    if (key !== 'b' || repeat || ctrlKey || metaKey || before) return;
    if (compare.reference === 0) return panel.announce('Pin a reference first');
    before = { mode: compare.mode, split: compare.split };
    Object.assign(compare, { mode: 'swipe', split: 1 });
    panel.actions.wish();
  });
  target.addEventListener('keyup', ({ key }) => key === 'b' && release());
  target.addEventListener('blur', release);
}
