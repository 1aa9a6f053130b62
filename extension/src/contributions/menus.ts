import { commands } from './commands';
import { Capability, Command, type CommandId, View } from './ids';

interface MenuItem {
  command: CommandId;
  when?: string;
  group?: string;
}

const inDevices = `view == ${View.Devices}`;
const inDoctor = `view == ${View.Doctor}`;
const checkHas = (capability: string) => `${inDoctor} && viewItem =~ /\\b${capability}\\b/`;
const isFix = checkHas(Capability.Fix);
const isCheck = checkHas(Capability.Check);
const rowHas = (capability: string) => `${inDevices} && viewItem =~ /\\b${capability}\\b/`;

export const menus: Record<string, MenuItem[]> = {
  'view/title': [
    { command: Command.OpenPreview, when: inDevices, group: 'navigation@1' },
    { command: Command.ShowDevices, when: inDevices, group: 'navigation@2' },
    { command: Command.RefreshDevices, when: inDevices, group: 'navigation@3' },
    { command: Command.RunSeamTest, when: inDevices, group: 'navigation@4' },
    { command: Command.RunDoctor, when: inDoctor, group: 'navigation@1' },
    { command: Command.OpenDoctorPage, when: inDoctor, group: 'navigation@2' },
    { command: Command.RestartHelpers, when: inDevices, group: '2_helpers@1' },
    { command: Command.ShowLog, when: inDevices, group: '2_helpers@2' },
    { command: Command.CopyReport, when: inDevices, group: '2_helpers@3' },
  ],
  'view/item/context': [
    { command: Command.CopyFix, when: isFix, group: 'inline@1' },
    { command: Command.TypeFix, when: isFix, group: 'inline@2' },
    { command: Command.OpenDoctorPage, when: isCheck, group: 'inline@3' },
    { command: Command.RunDoctor, when: isCheck, group: 'inline@4' },
    { command: Command.ShowDevice, when: rowHas(Capability.Uuid), group: 'inline@1' },
    { command: Command.CopyUuid, when: rowHas(Capability.Uuid), group: 'inline@2' },
    { command: Command.CopyVisibleDevices, when: rowHas(Capability.Cuda), group: 'inline@3' },
    { command: Command.ShowDevice, when: rowHas(Capability.Uuid), group: '0_open@1' },
    { command: Command.RunSeamTest, when: rowHas(Capability.Seam), group: '2_test@1' },
    { command: Command.CopyUuid, when: rowHas(Capability.Uuid), group: '1_copy@1' },
    { command: Command.CopyVisibleDevices, when: rowHas(Capability.Cuda), group: '1_copy@2' },
  ],
  'explorer/context': [
    { command: Command.WatchFiles, when: 'explorerResourceIsFolder || resourceExtname =~ /^\\.(png|exr|npy|pfm)$/', group: 'navigation@50' },
  ],
  commandPalette: Object.entries(commands)
    .filter(([, { palette }]) => palette !== true)
    .map(([command, { palette }]) => ({ command: command as CommandId, when: typeof palette === 'string' ? palette : 'false' })),
};
