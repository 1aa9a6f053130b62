/** The Markdown text for a bug report. */
import type { DeviceSnapshot, Reason } from '../../../helper/protocol/devices';

export interface ReportFacts {
  versions: Record<string, string>;
  engine: { state: string; failure?: string | undefined; facts: Record<string, string> };
  lint: string;
  snapshot: DeviceSnapshot | undefined;
  settings: Record<string, unknown>;
  log: string[];
}

export function reportMarkdown({ versions, engine, lint, snapshot, settings, log }: ReportFacts): string {
  const sections = [
    '# Seamscope report',
    table(versions),
    '## Helpers',
    table({ Engine: engine.failure ? `${engine.state}: ${engine.failure}` : engine.state, ...engine.facts, 'Lint server': lint }),
    '## Devices',
    snapshot ? devices(snapshot) : 'No snapshot was taken.',
    '## Settings',
    Object.keys(settings).length > 0 ? fence('json', JSON.stringify(settings, null, 2)) : 'All at their defaults.',
    '## Log',
    log.length > 0 ? fence('text', log.join('\n')) : 'Empty.',
  ];
  return `${sections.join('\n\n')}\n`;
}

function devices(snapshot: DeviceSnapshot): string {
  const reasons = [snapshot.vulkan.reason, snapshot.cuda.reason, snapshot.nvml.reason].filter((reason) => reason !== undefined);
  const rows = snapshot.matches.map((match) => {
    const cuda = match.cudaOrdinal === undefined ? '–' : `CUDA ${match.cudaOrdinal}`;
    const vulkan = snapshot.vulkan.devices.find(({ index }) => index === match.vulkanIndex);
    return `| ${cuda} | ${vulkan ? `Vulkan ${vulkan.index}: ${cell(vulkan.name)}` : '–'} | ${match.status} | ${cell(match.reasons.map(sentence).join(' '))} |`;
  });
  return [
    ['| CUDA | Vulkan | Match | Why |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    ...(reasons.length > 0 ? [reasons.map((reason) => `- ${sentence(reason)}`).join('\n')] : []),
    `<details><summary>Snapshot</summary>\n\n${fence('json', JSON.stringify(snapshot, null, 1))}\n\n</details>`,
  ].join('\n\n');
}

function sentence({ code, message, detail }: Reason): string {
  return `\`${code}\` ${message}${detail ? ` (${detail})` : ''}`;
}

function table(facts: Record<string, string>): string {
  return ['| | |', '| --- | --- |', ...Object.entries(facts).map(([name, value]) => `| ${name} | ${cell(value)} |`)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Longer than any fence inside the text. */
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}`;
}
