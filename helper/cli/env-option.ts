import { UsageError } from './usage-error';

/** NAME=VALUE pairs of --env; a name alone removes the variable. */
export function parseEnv(settings: string[]): Record<string, string | null> {
  const pairs = settings.map((setting): [string, string | null] => {
    const [name = '', ...value] = setting.split('=');
    if (name === '') throw new UsageError(`--env needs NAME=VALUE, not "${setting}".`);
    return [name, setting.includes('=') ? value.join('=') : null];
  });
  return Object.fromEntries(pairs);
}
