import type { Reason } from '../../../helper/protocol/devices';
import { isBenign, shortText } from '../../../helper/protocol/reason-words';
import { bullets, escapeMarkdown } from './markdown';
import type { DeviceNode } from './node';

/** A row "subject: why", with the next step below it. */
export function reasonNode(parentId: string, subject: string, reason: Reason): DeviceNode {
  const id = `${parentId}/${reason.code}`;
  const calm = isBenign(reason);
  return {
    id,
    label: subject,
    description: shortText(reason),
    icon: calm ? 'info' : 'warning',
    ...(calm ? {} : { iconColor: 'list.warningForeground' }),
    tooltip: reasonTooltip(reason),
    spoken: `${subject}: ${reason.message} Next step: ${reason.nextStep}`,
    children: [
      { id: `${id}/cause`, label: reason.message, icon: 'comment', tooltip: reasonTooltip(reason), children: [] },
      {
        id: `${id}/next`,
        label: reason.nextStep,
        icon: 'lightbulb',
        tooltip: reasonTooltip(reason),
        spoken: `Next step: ${reason.nextStep}`,
        children: [],
      },
    ],
  };
}

export function reasonTooltip(reason: Reason): string {
  return [
    escapeMarkdown(reason.message),
    `$(lightbulb) ${escapeMarkdown(reason.nextStep)}`,
    ...(reason.detail ? [bullets([['Driver', `\`${reason.detail.replaceAll('`', "'")}\``]])] : []),
    `\`${reason.code}\``,
  ].join('\n\n');
}
