/** The whole report, section by section. */
import type { SeamFormat, SeamPanelAction } from '../../../helper/protocol/seam-panel';
import type { SeamReport } from '../../../helper/protocol/seamtest';
import { element, textButton } from '../shared/dom';
import { acrossSection } from './across';
import { cards } from './cards';
import { checksSection } from './checks';
import { handoffSection } from './handoff';
import { modelSection } from './model-section';
import type { Filter } from './run-filter';
import { runsSection } from './runs';
import { section } from './section';
import { connectionsSection, controlsSection, costsSection, streamSyncSection } from './tables';
import { teardownSection } from './teardown';
import { verdict } from './verdict';
import { wordsSection } from './words';

export interface Choices {
  filter: Filter;
  /** Index of the device that is shown. */
  device: number;
}

export interface Hooks {
  act(name: SeamPanelAction): () => void;
  export(format: SeamFormat): void;
  filter(filter: Filter): void;
  device(index: number): void;
}

export function reportView(report: SeamReport, { filter, device: index }: Choices, hooks: Hooks): Node[] {
  const device = report.devices[index] ?? report;
  const meaning = [...(device.model?.words ?? []), ...device.findings];
  return [
    verdict(report, hooks),
    ...tabs(report, index, hooks.device),
    cards(device),
    ...(meaning.length > 0 ? [section('What It Means Here', element('ul', {}, ...meaning.map((line) => element('li', {}, line))))] : []),
    ...modelSection(device),
    runsSection(device, filter, hooks.filter),
    checksSection(device.checks),
    controlsSection(device),
    teardownSection(device),
    streamSyncSection(device),
    connectionsSection(device),
    costsSection(device),
    ...(report.across ? [acrossSection(report.across)] : []),
    handoffSection(device.handoff),
    wordsSection(hooks.act('words')),
  ];
}

/** With more than one device, one is shown at a time. */
function tabs({ devices }: SeamReport, chosen: number, onChoose: (index: number) => void): HTMLElement[] {
  if (devices.length < 2) return [];
  const buttons = devices.map(({ device, checks }, index) => {
    const failed = checks.some(({ ok }) => !ok);
    const button = textButton(`${failed ? '✗ ' : ''}${device.name}`, device.vulkanUuid, () => onChoose(index));
    button.setAttribute('aria-pressed', String(index === chosen));
    return button;
  });
  return [element('div', { class: 'devices', role: 'group', 'aria-label': 'Device' }, ...buttons)];
}
