/** Standard output and error of a command that may be piped into `head`. */
import process from 'node:process';

/** A reader that went away is no error: the command ends quietly. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode);
      // Full disks, most of all: half a report must not look like a whole one.
      if (stream === process.stdout) complain(`The output cannot be written (${error.code ?? error.message}).`);
      process.exit(2);
    });
  }
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function complain(text: string): void {
  process.stderr.write(`seamscope: ${text}\n`);
}
