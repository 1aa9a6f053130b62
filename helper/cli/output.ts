/** Standard output and error of a command that may be piped into `head`. */
import process from 'node:process';
import { visible } from '../lint/report/visible';

let isClosed = false;

/** Nobody reads what is printed from now on. */
export function isOutputClosed(): boolean {
  return isClosed;
}

/**
 * A reader that went away is no error: the command goes on without a word, so that its exit code is the one it would have had.
 * @param serves the command only talks with the reader, so it ends
 */
export function surviveClosedPipes(serves: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') {
        if (serves) process.exit(process.exitCode);
        isClosed ||= stream === process.stdout;
        return;
      }
      // Full disks, most of all: half a report must not look like a whole one.
      if (stream === process.stdout) complain(`The output cannot be written (${error.code ?? error.message}).`);
      process.exit(2);
    });
  }
}

/** Control characters in names of files, devices and programs do nothing to a terminal: they are shown as escapes. */
export function print(text: string): void {
  printAsIs(visible(text));
}

/** For text that is meant to colour a terminal, and whose other parts have been made visible. */
export function printAsIs(text: string): void {
  if (!isClosed) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** JSON itself escapes the control characters below U+0020 only. */
export function printJson(value: unknown): void {
  printAsIs(escapedJson(JSON.stringify(value, null, 2)));
}

export function escapedJson(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function complain(text: string): void {
  process.stderr.write(`seamscope: ${visible(text)}\n`);
}
