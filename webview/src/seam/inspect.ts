import type { SeamInspection } from '../../../helper/protocol/seam-panel';

/** What the document shows, read back from it. */
export function inspectDocument(shown: Document): SeamInspection {
  const texts = (selector: string) => [...shown.querySelectorAll(selector)].map((each) => each.textContent ?? '');
  const sections = [...shown.querySelectorAll('section')];
  const titled = sections.map((each) => [each.querySelector('h2')?.textContent ?? '', each.querySelectorAll('tbody tr').length] as const);
  const header = shown.querySelector('header');
  return {
    headline: header?.querySelector('h1')?.textContent ?? '',
    passed: header ? header.classList.contains('passed') : null,
    sections: titled.map(([title]) => title),
    rows: Object.fromEntries(titled.filter(([, rows]) => rows > 0)),
    points: shown.querySelectorAll('.chart .point').length,
    line: shown.querySelector('.chart .line') !== null,
    devices: texts('.devices button'),
    progress: texts('.running .step').join(''),
    failure: shown.querySelector('.message.error .what')?.textContent ?? null,
    buttons: texts('button'),
  };
}
