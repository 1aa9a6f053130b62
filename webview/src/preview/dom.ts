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
  const button = element(
    'button',
    { type: 'button', class: 'icon-button', title: key ? `${label} (${key})` : label, 'aria-label': label, 'aria-keyshortcuts': key },
    icon(name),
  );
  button.addEventListener('click', onClick);
  return button;
}

export function select(label: string, onChange: (value: string) => void): HTMLSelectElement {
  const created = element('select', { 'aria-label': label, title: label });
  created.addEventListener('change', () => onChange(created.value));
  return created;
}

export function setOptions(target: HTMLSelectElement, options: { value: string; label: string }[], selected: string): void {
  target.replaceChildren(...options.map(({ value, label }) => element('option', { value, selected: value === selected }, label)));
}
