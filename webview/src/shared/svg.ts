const SVG = 'http://www.w3.org/2000/svg';

/** Charts are SVG, so that the theme's colours reach them through CSS. */
export function svg(attributes: Record<string, string>, ...children: Element[]): SVGElement {
  const root = shape('svg', attributes);
  root.append(...children);
  return root;
}

export function shape(tag: string, attributes: Record<string, string>, text = ''): SVGElement {
  const created = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.textContent = text;
  return created;
}
