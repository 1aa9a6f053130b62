/** Every id that package.json and the code share. */

export const EXTENSION_ID = 'seamscope.seamscope';

export const Command = {
  OpenPreview: 'seamscope.openPreview',
  PausePreview: 'seamscope.pausePreview',
  StepPreview: 'seamscope.stepPreview',
  SaveFrame: 'seamscope.saveFrame',
  CopyPicture: 'seamscope.copyPicture',
  RecordFrames: 'seamscope.recordFrames',
  CopyTexel: 'seamscope.copyTexel',
  FitRange: 'seamscope.fitRange',
  PinReference: 'seamscope.pinReference',
  ShowDifference: 'seamscope.showDifference',
  ShowSwipe: 'seamscope.showSwipe',
  ToggleInspector: 'seamscope.toggleInspector',
  WatchFiles: 'seamscope.watchFiles',
  AddPublisher: 'seamscope.addPublisher',
  ShowDevices: 'seamscope.showDevices',
  ShowDevice: 'seamscope.showDevice',
  RefreshDevices: 'seamscope.refreshDevices',
  CopyUuid: 'seamscope.copyUuid',
  CopyVisibleDevices: 'seamscope.copyVisibleDevices',
  RunSeamTest: 'seamscope.runSeamTest',
  ShowSeamReport: 'seamscope.showSeamReport',
  ExportSeamReport: 'seamscope.exportSeamReport',
  OpenSeamWords: 'seamscope.openSeamWords',
  RunDoctor: 'seamscope.runDoctor',
  OpenDoctorPage: 'seamscope.openDoctorPage',
  CopyFix: 'seamscope.copyFix',
  TypeFix: 'seamscope.typeFix',
  RestartHelpers: 'seamscope.restartHelpers',
  ShowLog: 'seamscope.showLog',
  CopyReport: 'seamscope.copyReport',
  OpenRule: 'seamscope.openRule',
  CheckWorkspace: 'seamscope.checkWorkspace',
} as const;
export type CommandId = (typeof Command)[keyof typeof Command];

export const Container = { Seamscope: 'seamscope' } as const;

export const View = { Devices: 'seamscope.devices', Doctor: 'seamscope.doctor' } as const;

/** Webview panel types; a serializer restores each after a reload. */
export const Panel = {
  Preview: 'seamscope.preview',
  Devices: 'seamscope.devicesPanel',
  Device: 'seamscope.devicePanel',
  SeamReport: 'seamscope.seamReport',
} as const;

export const ContextKey = {
  /** What the Devices view can say: one of DevicesState. */
  Devices: 'seamscope.devicesState',
} as const;

/** `listed`: the tree has rows. The other states have welcome content of their own. */
export type DevicesState = 'loading' | 'listed' | 'no-driver' | 'no-gpu' | 'addon-missing' | 'engine-failed';

/** Words in a tree row's context value; menus test for them. */
export const Capability = { Uuid: 'uuid', Cuda: 'cuda', Fix: 'fix', Check: 'check', Seam: 'seam' } as const;
