import type { DoctorCheck, DoctorFix, DoctorReport } from '../../../helper/protocol/doctor';
import { escapeMarkdown } from '../devices/markdown';
import type { DoctorNode } from './node';

const ORDER = { problem: 0, warning: 1, info: 2 } as const;
const ICONS = { problem: 'error', warning: 'warning', info: 'info' } as const;
const COLORS = { problem: 'list.errorForeground', warning: 'list.warningForeground', info: undefined } as const;

/** What was found, worst first; then one row each for what is fine, what nobody could tell and what does not apply. */
export function doctorTree({ checks }: DoctorReport): DoctorNode[] {
  const found = checks.filter(({ status }) => status === 'found').sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
  return [
    ...found.map(foundNode),
    ...group('fine', 'Fine', 'pass', checks),
    ...group('not-asked', 'Could Not Be Asked', 'question', checks),
    ...group('not-applicable', 'Does Not Apply Here', 'circle-slash', checks),
  ];
}

function foundNode({ id, title, severity, message, evidence, fixes }: DoctorCheck): DoctorNode {
  const color = COLORS[severity];
  const command = fixes.find((fix) => fix.command)?.command;
  return {
    id,
    isCheck: true,
    ...(command ? { command } : {}),
    label: title,
    description: message,
    icon: ICONS[severity],
    ...(color ? { iconColor: color } : {}),
    tooltip: [`**${escapeMarkdown(title)}**`, escapeMarkdown(message)].join('\n\n'),
    spoken: `${severity}: ${title}. ${message}`,
    expanded: severity === 'problem',
    children: [...fixes.map((fix, index) => fixNode(`${id}/fix${index}`, fix)), ...evidenceNodes(id, evidence)],
  };
}

function fixNode(id: string, { text, command }: DoctorFix): DoctorNode {
  return {
    id,
    label: text,
    ...(command ? { description: command, command } : {}),
    icon: 'lightbulb',
    tooltip: [escapeMarkdown(text), ...(command ? [`\`\`\`sh\n${command}\n\`\`\``] : [])].join('\n\n'),
    spoken: `Next step: ${text}${command ? ` Command: ${command}` : ''}`,
    children: [],
  };
}

function evidenceNodes(parentId: string, evidence: string[]): DoctorNode[] {
  return evidence.map((line, index) => ({
    id: `${parentId}/evidence${index}`,
    label: line,
    icon: 'search',
    tooltip: escapeMarkdown(line),
    spoken: `Seen: ${line}`,
    children: [],
  }));
}

function group(status: DoctorCheck['status'], label: string, icon: string, checks: DoctorCheck[]): DoctorNode[] {
  const members = checks.filter((check) => check.status === status);
  if (members.length === 0) return [];
  const children = members.map(
    ({ id, title, message, evidence }): DoctorNode => ({
      id,
      isCheck: true,
      label: title,
      description: message,
      icon,
      tooltip: [`**${escapeMarkdown(title)}**`, escapeMarkdown(message)].join('\n\n'),
      spoken: `${title}. ${message}`,
      children: evidenceNodes(id, evidence),
    }),
  );
  return [{ id: status, label, description: String(members.length), icon, spoken: `${label}: ${members.length} checks`, children }];
}

/** The few words beside the view's title. */
export function doctorSummary({ checks }: DoctorReport): string {
  const count = (severity: DoctorCheck['severity']) => checks.filter((check) => check.status === 'found' && check.severity === severity).length;
  const words = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems === 0 && warnings === 0) return 'nothing to mend';
  return [problems > 0 ? words(problems, 'problem') : '', warnings > 0 ? words(warnings, 'warning') : ''].filter(Boolean).join(', ');
}
