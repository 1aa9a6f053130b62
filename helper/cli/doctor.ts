/** `seamscope doctor` */
import { parseArgs } from 'node:util';
import { type Check, checksOf } from './doctor-checks';
import { print, printJson } from './output';
import { withEngine } from './with-engine';

const MARKS: Record<Check['status'], string> = { ok: 'ok     ', info: 'info   ', warning: 'warning', problem: 'PROBLEM' };

export async function runDoctor(args: string[], dir: string): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
  const checks = await withEngine(dir, async (client) => {
    const engine = await client.start();
    return checksOf(engine, await client.request('devices/snapshot', {}));
  });
  if (values.json) printJson({ version: 1, checks });
  else print([...checks.map(checkText), '', summary(checks)].join('\n'));
  return checks.some(({ status }) => status === 'problem') ? 1 : 0;
}

function checkText({ status, title, message, nextStep, detail }: Check): string {
  const indent = ' '.repeat(MARKS.ok.length + 2);
  const words = detail?.split('\n') ?? [];
  // A plain fact needs neither the driver's words nor a remedy; both are in the JSON.
  const more = status === 'info' ? [] : [...words, ...(nextStep ? [`Next step: ${nextStep}`] : [])];
  return [`${MARKS[status]}  ${title}: ${message}`, ...more.map((line) => `${indent}${line}`)].join('\n');
}

function summary(checks: Check[]): string {
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  return `${checks.length} checks: ${count('problem')} problems, ${count('warning')} warnings.`;
}
