/** `seamscope doctor` */
import { parseArgs } from 'node:util';
import type { DoctorReport } from '../protocol/doctor';
import { doctorText } from './doctor-text';
import { parseEnv } from './env-option';
import { print, printJson } from './output';
import { withEngine } from './with-engine';

export async function runDoctor(args: string[], dir: string): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' }, env: { type: 'string', multiple: true }, all: { type: 'boolean' } } });
  const report = await withEngine(dir, (client) => client.request('doctor', { env: parseEnv(values.env ?? []) }));
  if (values.json) printJson(report);
  else print(doctorText(report, values.all === true));
  return hasProblem(report) ? 1 : 0;
}

function hasProblem({ checks }: DoctorReport): boolean {
  return checks.some(({ status, severity }) => status === 'found' && severity === 'problem');
}
