/** Runs in the extension host. VS Code loads this module and calls run(); a rejection is a failed run. */
import Mocha from 'mocha';
import { activationSuite } from './activation';
import { commandsSuite } from './commands';
import { devicesSuite } from './devices';
import { devicesPanelsSuite } from './devices-panels';
import { doctorSuite } from './doctor';
import { lintSuite } from './lint';
import { lintAcrossFilesSuite } from './lint-across-files';
import { lintActionsSuite } from './lint-actions';
import { noDriverSuite } from './no-driver';
import { previewSuite } from './preview';
import { publishedSuite } from './published';
import { publishedFilesSuite } from './published-files';
import { publishersSuite } from './publishers';
import { recoverySuite } from './recovery';
import { seamTestSuite } from './seam-test';

/** In this order: activation wants a window in which nothing has happened yet. */
const topics = [
  activationSuite,
  devicesSuite,
  doctorSuite,
  previewSuite,
  publishedSuite,
  publishedFilesSuite,
  publishersSuite,
  lintSuite,
  lintActionsSuite,
  lintAcrossFilesSuite,
  commandsSuite,
  seamTestSuite,
  recoverySuite,
  noDriverSuite,
  devicesPanelsSuite,
];
const TEST_TIMEOUT_MS = 90_000;

export async function run(): Promise<void> {
  const pattern = process.env.SEAMSCOPE_GREP;
  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: TEST_TIMEOUT_MS, reporter: 'spec', ...(pattern && { grep: pattern }) });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  for (const topic of topics) topic();
  const { passes, failures, pending } = await runAll(mocha);
  console.log(`${passes} passed, ${failures} failed, ${pending} skipped`);
  if (failures > 0 || passes === 0) throw new Error(`${failures} tests failed, ${passes} passed`);
}

function runAll(mocha: Mocha): Promise<Mocha.Stats> {
  return new Promise((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats!));
  });
}
