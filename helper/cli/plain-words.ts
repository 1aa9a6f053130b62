/** The engine's words about its protocol, as somebody at a terminal knows the same things. */

const doings: Readonly<Record<string, string>> = {
  initialize: 'the greeting',
  doctor: 'the examination',
  stats: 'counting what it holds',
  shutdown: 'shutting down',
  'devices/snapshot': 'listing the devices',
  'devices/poll': 'reading the devices',
  'sources/list': 'listing the sources',
  'view/open': 'opening the preview',
  'view/update': 'changing the preview',
  'view/save': 'saving the frame',
  'view/close': 'closing the preview',
};

const options: Readonly<Record<string, string>> = {
  'view.output': '--output',
  'view.width': 'the width of --view',
  'view.height': 'the height of --view',
  'view.encoding': '--encoding',
  'size.width': 'the width of --size',
  'size.height': 'the height of --size',
  device: '--device',
  source: '--source',
};

const doing = (method: string) => doings[method] ?? 'a request';

export function plainMessage(message: string): string {
  return message
    .replace(/"([a-z]+(?:\/[a-z]+)?)" has no answer\./i, (_, method: string) => `It was at ${doing(method)}.`)
    .replace(/did not (?:finish|answer) "([a-z]+(?:\/[a-z]+)?)"/i, (_, method: string) => `did not finish ${doing(method)}`)
    .replace(/^([a-z]+(?:\.[a-z]+)?) must be /, (whole, name: string) => (options[name] ? `${options[name]} must be ` : whole));
}

export function plainStep(nextStep: string): string {
  if (nextStep.includes('"sources/list"')) return 'Use "scene", "files:" with a folder, or the name of a program that publishes.';
  if (nextStep === 'Correct the parameter.') return 'See "seamscope preview --help".';
  return nextStep.replace(
    /^(?:Read the engine log; )?restart the engine\.$/i,
    'Run the command again with SEAMSCOPE_LOG=1 to see what the drivers say.',
  );
}
