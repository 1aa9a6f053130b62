/** Picks the command. Every failure is one message with its cause and its next step on stderr. */
import { existsSync } from 'node:fs';
import { toUserError, UserError } from '../engine/user-error';
import { didYouMean, nearestAmong } from '../lint/nearest';
import { commandHelp, HELP, VERSION_TEXT } from './help';
import { Interrupted } from './interrupted';
import { missingValue, unknownOption } from './option-hints';
import { complain, print } from './output';
import { plainMessage, plainStep } from './plain-words';
import { UsageError } from './usage-error';

/** `dir` holds the other bundles. Resolves null when the command goes on by itself (the engine). */
type Command = (args: string[], dir: string) => Promise<number | null>;

const COMMANDS: Record<string, () => Promise<Command>> = {
  devices: async () => (await import('./devices')).runDevices,
  doctor: async () => (await import('./doctor')).runDoctor,
  lint: async () => (await import('./lint')).runLint,
  preview: async () => (await import('./preview')).runPreview,
  seamtest: async () => (await import('./seamtest')).runSeamTestCommand,
  engine: async () => (await import('./engine')).runEngineCommand,
};

export async function run(args: string[], dir: string): Promise<number | null> {
  const [name, ...rest] = args;
  try {
    if (name === 'help' && isCommand(rest[0])) return printed(commandHelp(rest[0]));
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') return printed(HELP);
    if (name === '--version' || name === '-V') return printed(VERSION_TEXT);
    if (!isCommand(name)) throw new UsageError(`There is no command "${name}".${didYouMean(commandsLike(name))}`);
    if (rest.includes('--help') || rest.includes('-h')) return printed(commandHelp(name));
    const command = await COMMANDS[name]!();
    return await command(rest, dir);
  } catch (error) {
    return report(error, isCommand(name) ? name : undefined);
  }
}

function printed(text: string): number {
  print(text);
  return 0;
}

function isCommand(name: string | undefined): name is string {
  return name !== undefined && Object.hasOwn(COMMANDS, name);
}

/** Whoever gives a path right away wants it checked. */
function commandsLike(name: string): string[] {
  return existsSync(name) ? [`"seamscope lint ${name}"`] : nearestAmong(name, Object.keys(COMMANDS)).slice(0, 1);
}

function report(error: unknown, command: string | undefined): number {
  if (error instanceof Interrupted) return error.exitCode;
  if (isArgumentError(error)) complain(`${argumentMessage(error as Error, command)} Try "seamscope ${command ? `${command} ` : ''}--help".`);
  else {
    const { message, nextStep } =
      error instanceof UserError ? error : toUserError(error, 'Report this with the output of "seamscope doctor --json".');
    complain(`${plainMessage(message)}\n  Next step: ${plainStep(nextStep)}`);
  }
  return 2;
}

/** Node's own words take a value like -1 for an option that was forgotten, and know no names but the wrong one. */
function argumentMessage(error: Error, command = ''): string {
  const { message } = error;
  if (error instanceof UsageError) return message;
  const [, option, fault] = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument (is ambiguous|missing)/.exec(message) ?? [];
  if (option && fault === 'missing') return missingValue(option, commandHelp(command));
  if (option) return `${option} needs a value; one that begins with "-" is written ${option}=VALUE.`;
  const unknown = /^Unknown option '([^']+)'/.exec(message)?.[1];
  if (unknown) return unknownOption(unknown, commandHelp(command));
  return `${message.split(/\. |\n/)[0]!.replace(/\.$/, '')}.`;
}

function isArgumentError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof UsageError || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'));
}
