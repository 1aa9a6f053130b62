import { Command, ContextKey, type DevicesState, View } from './ids';

/** What the Devices view says when it has no row to show. Each line that is one link becomes a button. */
const texts: Record<Exclude<DevicesState, 'listed'>, string[]> = {
  loading: ['Looking for GPUs…'],
  'no-driver': [
    'No GPU driver is installed here: neither the Vulkan loader, nor the CUDA driver, nor NVML was found.',
    'For an NVIDIA GPU install its driver; in a container start it with `--gpus all` and `NVIDIA_DRIVER_CAPABILITIES=all`. Without a GPU, `mesa-vulkan-drivers` and `libvulkan1` give a Vulkan device on the CPU.',
    link('Look Again', Command.RefreshDevices),
    `The preview also works without a driver: its picture is then drawn on the CPU.`,
    link('Open Preview', Command.OpenPreview),
  ],
  'no-gpu': [
    'The drivers are installed, but they list no GPU.',
    'Check that this machine or container was given one (`nvidia-smi -L`, `/dev/nvidia*`), and that no filter such as `CUDA_VISIBLE_DEVICES=-1` hides it.',
    link('Look Again', Command.RefreshDevices),
    link('Copy Report', Command.CopyReport),
  ],
  'addon-missing': [
    'The native part of Seamscope could not be loaded, so devices and preview are not available. The log lists every path that was tried.',
    'It is built for Linux x64. On that platform install the extension again; on others the code checks still work.',
    link('Show Log', Command.ShowLog),
    link('Try Again', Command.RestartHelpers),
  ],
  'engine-failed': [
    'The GPU engine stopped and was not started again. A driver may have crashed; the log has its last words.',
    link('Restart', Command.RestartHelpers),
    link('Show Log', Command.ShowLog),
    link('Copy Report', Command.CopyReport),
  ],
};

function link(label: string, command: string): string {
  return `[${label}](command:${command})`;
}

export const viewsWelcome = Object.entries(texts).map(([state, lines]) => ({
  view: View.Devices,
  when: `${ContextKey.Devices} == '${state}'`,
  contents: lines.join('\n'),
}));
