/** Standard output and error of a command that may be piped into `head`. */
import process from 'node:process';

/** A reader that went away is no error: the command ends quietly. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      process.exit(error.code === 'EPIPE' ? process.exitCode : 2);
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
