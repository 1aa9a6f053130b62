/** The sacrificial process of the seam test. Arguments: the addon's path and the job's JSON. Writes events to fd 3. */
import process from 'node:process';
import { loadAddon } from './addon-loader';
import { SEAM_EVENT_FD } from './seamtest-process';
import { toUserError } from './user-error';

try {
  const { addon } = loadAddon([process.argv[2] ?? '']);
  process.exitCode = addon.seamtest(process.argv[3] ?? '', SEAM_EVENT_FD);
} catch (error) {
  const { message, nextStep } = toUserError(error);
  process.stderr.write(`${message} ${nextStep}\n`);
  process.exitCode = 2;
}
