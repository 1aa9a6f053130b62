/** The top of the report: what holds, in plain words, and what can be done with it. */
import type { SeamReport } from '../../../helper/protocol/seamtest';
import { element, icon, textButton } from '../shared/dom';
import { grouped } from './numbers';
import type { Hooks } from './report-view';

export function verdict(report: SeamReport, hooks: Hooks): HTMLElement {
  const { passed, verdict: words, notTested } = report;
  const lines = [...words.sentences, ...notTested.map(({ name, reason }) => `Not tested: ${name}. ${reason}`)];
  const doctor = !passed || report.devices.some(({ device }) => device.partner === 'host');
  return element(
    'header',
    { class: passed ? 'passed' : 'failed' },
    element('h1', {}, icon(passed ? 'pass-filled' : 'error'), element('span', {}, words.headline)),
    element('p', { class: 'facts' }, facts(report)),
    element('ul', {}, ...lines.map((line) => element('li', {}, line))),
    ...(words.nextSteps.length > 0
      ? [element('ul', { class: 'steps' }, ...words.nextSteps.map((step) => element('li', {}, icon('lightbulb'), step)))]
      : []),
    element(
      'div',
      { class: 'actions' },
      primary('Run Again', 'Run the seam test again', hooks.act('run')),
      textButton('Export Markdown', 'Save this report as Markdown', () => hooks.export('markdown')),
      textButton('Export JSON', 'Save this report as JSON', () => hooks.export('json')),
      ...(doctor ? [textButton('Run Doctor', 'Look for what stands between CUDA and Vulkan here', hooks.act('doctor'))] : []),
    ),
  );
}

function primary(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const button = textButton(label, title, onClick);
  button.classList.add('primary');
  return button;
}

function facts({ devices, frames, seconds, takenAt, settings }: SeamReport): string {
  const names = devices.map(({ device }) => {
    const partner = device.partner === 'cuda' ? `CUDA ${device.cudaOrdinal}` : 'the host';
    return `${device.name} with ${partner}`;
  });
  const extent = settings.quick ? 'quick test' : settings.only ? 'chosen runs' : 'full test';
  return [...names, extent, `${grouped(frames)} frames in ${seconds.toFixed(0)} s`, new Date(takenAt).toLocaleString()].join(' · ');
}
