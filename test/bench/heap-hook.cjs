// Loaded into the engine by NODE_OPTIONS: on SIGUSR2 garbage is collected, and what is left is written to PID.json in the folder SEAMSCOPE_HEAPS.
const { renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    collect();
    const file = path.join(process.env.SEAMSCOPE_HEAPS, `${process.pid}.json`);
    writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.part`, file);
  });
}
