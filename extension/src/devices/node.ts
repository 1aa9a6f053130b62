import type { DevicesState } from '../contributions/ids';

/** A row of the Devices view, free of VS Code types so that tests can read it. */
export interface DeviceNode {
  /** Stable from one snapshot to the next: expansion and selection hang on it. */
  id: string;
  label: string;
  description?: string;
  /** Product icon name and, for states worth a colour, a theme colour id. */
  icon: string;
  iconColor?: string;
  /** Markdown. */
  tooltip?: string;
  /** Spoken by screen readers in place of label and description. */
  spoken?: string;
  /** Words of the context value; menus test for them. */
  capabilities?: string[];
  uuid?: string;
  /** The value for CUDA_VISIBLE_DEVICES that selects exactly this device. */
  visibleDevices?: string;
  expanded?: boolean;
  children: DeviceNode[];
}

export interface DeviceTree {
  state: DevicesState;
  roots: DeviceNode[];
}
