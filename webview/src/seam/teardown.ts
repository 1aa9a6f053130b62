/** What the ledger predicted for each order of freeing, beside what this driver did. */
import { orderNames, outcomeNames, ownershipNames } from '../../../helper/protocol/seam-words';
import type { SeamDeviceReport, SeamTeardown } from '../../../helper/protocol/seamtest';
import { lead, section } from './section';
import { bad, type CellLike, good, table } from './table';

const HEADER = ['Order', 'Owner', 'Ledger predicted', 'This driver', 'In words'];

export function teardownSection({ teardown }: SeamDeviceReport): HTMLElement {
  return section(
    'Teardown',
    lead('Each order in a process of its own. A driver that lets a wrong order pass is no proof that it is right: the next version may not.'),
    table('Teardown', HEADER, teardown.map(teardownRow)),
  );
}

function teardownRow(row: SeamTeardown): CellLike[] {
  const { order, ownership, repetition, detail } = row;
  const name = order === 'ownerFirst' && ownership === 'inverted' ? `${orderNames[order]}, try ${repetition}` : orderNames[order];
  return [name, ownershipNames[ownership], predictionCell(row), outcomeCell(row), detail];
}

function predictionCell({ order, predicted }: SeamTeardown): CellLike {
  const words = predicted.map(({ released, usedBy }) => `${released} freed while used by ${usedBy.join(', ')}`).join('; ');
  const isRight = (order === 'documented') === (predicted.length === 0);
  return { ...(isRight ? good(words || 'clean') : bad(words || 'nothing')), title: predicted.map(({ consequence }) => consequence).join(' ') };
}

/** Only the documented order has to be clean; what else a driver does is told as found. */
function outcomeCell({ order, outcome }: SeamTeardown): CellLike {
  const text = outcomeNames[outcome];
  if (order !== 'documented' || outcome === 'skipped') return text;
  return outcome === 'clean' ? good(text) : bad(text);
}
