#!/usr/bin/env node
// Lints a folder of checked-out public repositories with every rule and compares the findings with the recorded verdicts.
//
//   npm run lint:corpus -- FOLDER...          folders of OWNER+NAME folders; or of the files of one repository each
//   npm run lint:corpus -- --findings FILE    judges an earlier output of `seamscope lint --preview --format json`
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './lib/paths.mjs';
import { isMain, main, StepError } from './lib/run.mjs';

/** [{repository, commit, path, rule, line, verdict}]: facts only, no code. */
export function recorded() {
  return JSON.parse(readFileSync(inRoot('test/corpus/verdicts.json'), 'utf8')).verdicts;
}

/** `owner/name` and the path inside it, for `.../owner+name/a/b.cpp`. */
export function placeOf(file) {
  const parts = file.split(path.sep);
  const at = parts.findIndex((part) => /^[\w.-]+\+[\w.-]+$/.test(part));
  return at < 0 ? undefined : { repository: parts[at].replace('+', '/'), path: parts.slice(at + 1).join('/') };
}

const keyOf = ({ repository, path: file, rule, line }) => `${repository} ${file}:${line} ${rule}`;

/**
 * `findings` as the command line prints them, `checked` the repositories that were linted.
 * @returns {{unjudged: string[], vanished: string[], known: object[]}}
 */
export function compare(findings, checked, verdicts) {
  const found = findings.flatMap(({ file, line, ruleId }) => {
    const place = placeOf(file);
    return place ? [{ ...place, line, rule: ruleId }] : [];
  });
  const byKey = new Map(verdicts.map((each) => [keyOf(each), each]));
  const seen = new Set(found.map(keyOf));
  return {
    unjudged: found.map(keyOf).filter((key) => !byKey.has(key)),
    vanished: verdicts.filter((each) => each.verdict === 'true' && checked.has(each.repository) && !seen.has(keyOf(each))).map(keyOf),
    known: found.flatMap((each) => byKey.get(keyOf(each)) ?? []),
  };
}

/** Lines `rule true of judged`, and the sum. */
export function precisionTable(judged) {
  const rules = [...new Set(judged.map(({ rule }) => rule))].sort();
  const row = (name, of) => {
    const right = of.filter(({ verdict }) => verdict === 'true').length;
    return `${name.padEnd(36)} ${String(right).padStart(3)} of ${String(of.length).padStart(3)}  ${Math.round((100 * right) / of.length)} %`;
  };
  return [
    ...rules.map((rule) =>
      row(
        rule,
        judged.filter((each) => each.rule === rule),
      ),
    ),
    ...(judged.length > 0 ? [row('all', judged)] : []),
  ];
}

function lint(folders) {
  const cli = inRoot('dist/cli.js');
  if (!existsSync(cli)) throw new StepError('dist/cli.js is missing. Run: npm run build');
  const args = [cli, 'lint', '--preview', '--format', 'json', ...folders];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 30, timeout: 3_600_000 });
  if (status !== 0 && status !== 1) throw new StepError(`The linter failed:\n${stderr}`);
  return JSON.parse(stdout).findings;
}

function repositoriesIn(folders) {
  const names = folders.flatMap((folder) => [path.basename(folder), ...readdirSync(folder)]);
  return new Set(names.filter((name) => name.includes('+')).map((name) => name.replace('+', '/')));
}

if (isMain(import.meta.url)) {
  await main(() => {
    const given = process.argv.slice(2);
    if (given.length === 0) throw new StepError('Name a folder of checked-out repositories: npm run lint:corpus -- FOLDER');
    const fromFile = given[0] === '--findings';
    const findings = fromFile ? given.slice(1).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).findings) : lint(given);
    const checked = fromFile ? new Set(findings.flatMap(({ file }) => placeOf(file)?.repository ?? [])) : repositoriesIn(given);
    const { unjudged, vanished, known } = compare(findings, checked, recorded());
    for (const each of unjudged) console.log(`new       ${each}`);
    for (const each of vanished) console.log(`vanished  ${each}`);
    console.log(precisionTable(known).join('\n'));
    console.log(`${known.length} judged, ${unjudged.length} new, ${vanished.length} vanished`);
    if (unjudged.length + vanished.length > 0)
      throw new StepError('Judge what is new by reading the code, and write it into test/corpus/verdicts.json.');
  });
}
