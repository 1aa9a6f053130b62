// Runs inside the unpacked bundle: tests through the command line, native tests, benchmarks, one verdict line.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const env = { ...process.env, SEAMSCOPE_DIST: path.join(home, 'dist') };
const limitMs = 400_000;

function run(title, command, args) {
  console.log(`== ${title}`);
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    cwd: home,
    env,
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 64 << 20,
  });
  const output = `${stdout ?? ''}${stderr ?? ''}`.trimEnd();
  console.log(output);
  if (error || signal) console.log(`${title}: ${error?.message ?? `ended by ${signal}`}`);
  return { ok: status === 0, output };
}

const number = (pattern, text) => Number(pattern.exec(text)?.[1] ?? 0);

function nodeTests() {
  const files = readdirSync(path.join(home, 'gpu')).filter((file) => file.endsWith('.test.mjs'));
  const args = ['--test', '--test-reporter=spec', ...files.map((file) => path.join('gpu', file))];
  const { ok, output } = run('inventory, match, preview', process.execPath, args);
  const counts = {
    passed: number(/^\S* ?pass (\d+)/m, output),
    failed: number(/^\S* ?fail (\d+)/m, output),
    skipped: number(/^\S* ?skipped (\d+)/m, output),
  };
  return !ok && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function nativeTests() {
  const { ok, output } = run('native tests', path.join(home, 'native/seamscope_tests'), ['--no-colors=true']);
  const skipped = [...output.matchAll(/(?:^|MESSAGE: )skipped: /gim)].length;
  const passed = number(/\|\s*(\d+) passed/, output) - skipped;
  const failed = number(/\|\s*(\d+) failed/, output);
  return { passed: Math.max(passed, 0), failed: !ok && failed === 0 ? 1 : failed, skipped };
}

/** What the Python publisher shows of every library that this machine's python3 has, by GPU memory and by host memory. */
function pythonTests() {
  const args = ['gpu/python_publisher.py', '--node', process.execPath];
  const results = [
    run('Python publisher', 'python3', [...args, '--measure']),
    run('publishers on several GPUs', 'python3', ['gpu/several_publishers.py', '--node', process.execPath]),
    run('Python publisher, Vulkan hidden from the engine', 'python3', [...args, '--host', '--only', 'float']),
  ];
  return results.map(({ ok, output }) => {
    if (output === '') return { passed: 0, failed: 0, skipped: 1 };
    const [, passed, failed, skipped] = (/^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output) ?? [0, 0, 1, 0]).map(Number);
    return { passed, failed: !ok && failed === 0 ? 1 : failed, skipped };
  });
}

run('device', process.execPath, ['dist/cli.js', 'devices']);
const all = [nodeTests(), nativeTests(), ...pythonTests()];
run('what watching costs a renderer', process.execPath, ['gpu/renderer_cost.mjs']);
run('benchmarks', process.execPath, ['test/bench/run.mjs', '--dist', 'dist', '--without', 'workbench']);
const total = (key) => all.reduce((sum, counts) => sum + counts[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`);
process.exit(total('failed') === 0 && total('passed') > 0 ? 0 : 1);
