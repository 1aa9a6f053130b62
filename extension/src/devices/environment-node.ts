/** The collapsed row that shows what decides which devices are visible: libraries, driver manifests, variables. */
import type { DeviceSnapshot, EnvironmentFacts, LibraryReport } from '../../../helper/protocol/devices';
import { escapeMarkdown } from './markdown';
import type { DeviceNode } from './node';

export function environmentNode({ environment, libraries }: DeviceSnapshot): DeviceNode {
  const id = 'environment';
  const where = [environment.container && 'container', environment.wsl && 'WSL'].filter(Boolean).join(', ');
  return {
    id,
    label: 'Environment',
    description: where || undefined,
    icon: 'list-tree',
    tooltip: 'Libraries, driver manifests and variables that decide which devices are visible.',
    children: [
      ...libraries.map((library) => libraryNode(id, library)),
      ...environment.icdFiles.map((file) => manifestNode(id, file)),
      ...Object.entries(environment.variables).map(([name, value]) => row(`${id}/var/${name}`, name, value, 'symbol-variable')),
      ...(environment.kernelDriverVersion ? [row(`${id}/kernel`, 'Kernel driver', environment.kernelDriverVersion, 'symbol-variable')] : []),
    ],
  };
}

function libraryNode(parentId: string, library: LibraryReport): DeviceNode {
  const where = library.error ? 'not loaded' : [library.version, library.path].filter(Boolean).join(' · ');
  return row(`${parentId}/lib/${library.name}`, library.name, where, 'library', library.error ?? library.path);
}

function manifestNode(parentId: string, file: EnvironmentFacts['icdFiles'][number]): DeviceNode {
  const name = file.path.split('/').at(-1) ?? file.path;
  return row(
    `${parentId}/icd/${file.path}`,
    name,
    file.problem ?? file.library ?? '',
    'file-code',
    [file.path, file.problem].filter(Boolean).join('\n\n'),
  );
}

function row(id: string, label: string, description: string, icon: string, tooltip = description): DeviceNode {
  return { id, label, description, icon, tooltip: escapeMarkdown(tooltip), children: [] };
}
