/** What a wrong command or option may mean, as far as the help tells. */
import { didYouMean, nearestAmong } from '../lint/nearest';

/** Of an option that is none of the command that `help` is about: a value of another option, or the most similar name. */
export function unknownOption(option: string, help: string): string {
  const word = option.replace(/^-+/, '');
  const values = [...help.matchAll(/(--[\w-]+)(?:\[=(\w+)\]| (\w+(?:\|\w+)+))/g)];
  const owner = values.find(([, , optional, listed]) => optional === word || listed?.split('|').includes(word));
  const meant = owner ? [`${owner[1]}${owner[2] ? '=' : ' '}${word}`] : nearestAmong(option, optionsIn(help)).slice(0, 1);
  const isShort = !option.startsWith('--');
  return `Unknown option ${option}.${isShort ? ' A path that begins with "-" is written with "./" before it.' : didYouMean(meant)}`;
}

/** Of an option whose value was forgotten: how it is written. */
export function missingValue(option: string, help: string): string {
  const value = new RegExp(`${option} ([A-Z][\\w=]*|\\w+(?:\\|\\w+)+)`).exec(help)?.[1] ?? 'VALUE';
  return `${option} needs a value: ${option} ${value}.`;
}

function optionsIn(help: string): string[] {
  return [...new Set(help.match(/--[a-z][\w-]*/g))];
}
