type Attributes = Record<string, string | boolean | undefined>;

/** Creates an element. `false` and undefined leave an attribute out, `true` sets an empty one. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) created.setAttribute(name, value === true ? '' : value);
  }
  created.append(...children);
  return created;
}

export function icon(name: string): HTMLElement {
  return element('span', { class: `codicon codicon-${name}`, 'aria-hidden': 'true' });
}

/** A button that shows only an icon; its label is the accessible name and, with the key, the tooltip. */
export function iconButton(name: string, label: string, key: string | undefined, onClick: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'icon-button' }, icon(name));
  button.addEventListener('click', onClick);
  nameButton(button, label, key);
  return button;
}

export function nameButton(button: HTMLButtonElement, label: string, key?: string): void {
  button.title = key ? `${label} (${key === ' ' ? 'Space' : key})` : label;
  button.setAttribute('aria-label', label);
  if (key) button.setAttribute('aria-keyshortcuts', key === ' ' ? 'Space' : key);
}

export function textButton(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'text-button', title }, label);
  button.addEventListener('click', onClick);
  return button;
}

export function press(button: HTMLElement, pressed: boolean): void {
  button.setAttribute('aria-pressed', String(pressed));
}

export function select(label: string, onChange: (value: string) => void): HTMLSelectElement {
  const created = element('select', { 'aria-label': label, title: label });
  created.addEventListener('change', () => onChange(created.value));
  return created;
}

/** Rebuilds the list only when it differs: a list that is open would close. */
export function setOptions(target: HTMLSelectElement, options: { value: string; label: string }[], selected: string): void {
  const same = options.length === target.options.length && options.every(({ value }, at) => target.options[at]?.value === value);
  if (!same) target.replaceChildren(...options.map(({ value, label }) => element('option', { value }, label)));
  target.value = selected;
}

/** A named row of the inspector. */
export function row(name: string, ...controls: (Node | string)[]): HTMLElement {
  return element('div', { class: 'field' }, element('span', { class: 'name', 'aria-hidden': 'true' }, name), ...controls);
}
