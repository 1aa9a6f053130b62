/** The settings: their schema for package.json, their types and defaults for the code. */

interface Common {
  /** In Markdown; links to other settings as `#id#`. */
  markdownDescription: string;
  scope: 'window' | 'resource' | 'machine-overridable';
  /** Ignored in a workspace that is not trusted. */
  restricted?: true;
}

type NumberSetting = Common & { type: 'number' | 'integer'; default: number; minimum: number; maximum: number };
type BooleanSetting = Common & { type: 'boolean'; default: boolean };
type TextSetting = Common & { type: 'string'; default: string; enum: readonly string[]; enumDescriptions: readonly string[] };
type MapSetting = Common & {
  type: 'object';
  default: Readonly<Record<string, string | null>>;
  additionalProperties: { type: readonly ['string', 'null'] };
};
export type SettingContribution = NumberSetting | BooleanSetting | TextSetting | MapSetting;

export const settings = {
  'seamscope.devices.refreshInterval': {
    type: 'number',
    default: 2,
    minimum: 0.5,
    maximum: 3600,
    scope: 'window',
    markdownDescription: 'Seconds between two readings of memory, use and temperature. Nothing is read while the Devices view is hidden.',
  },
  'seamscope.preview.maxRate': {
    type: 'number',
    default: 60,
    minimum: 1,
    maximum: 240,
    scope: 'window',
    markdownDescription: 'Frames a second that a preview shows at most.',
  },
  'seamscope.preview.jpegQuality': {
    type: 'integer',
    default: 80,
    minimum: 1,
    maximum: 100,
    scope: 'window',
    markdownDescription: 'JPEG quality of moving pictures. A picture at rest is always sent once more without loss.',
  },
  'seamscope.preview.movingPictures': {
    type: 'string',
    default: 'jpeg',
    enum: ['jpeg', 'exact'],
    enumDescriptions: [
      'Compressed by `seamscope.preview.jpegQuality`.',
      'Without loss: about twenty times as many bytes, and fewer frames a second.',
    ],
    scope: 'window',
    markdownDescription: 'How pictures reach the panel while they move.',
  },
  'seamscope.preview.historyBudget': {
    type: 'integer',
    default: 512,
    minimum: 0,
    maximum: 1_048_576,
    scope: 'window',
    markdownDescription: 'MiB of host memory for frames that are kept to step back to and to compare with, over all previews; 0 keeps none.',
  },
  'seamscope.publishers.enable': {
    type: 'boolean',
    default: true,
    scope: 'window',
    markdownDescription:
      'Let programs show their frames in the preview: terminals and tasks get `SEAMSCOPE_SOCKET`, and the GPU engine listens there while it runs. Turned off, programs of new terminals do not look for it.',
  },
  'seamscope.publishers.maxRate': {
    type: 'number',
    default: 30,
    minimum: 1,
    maximum: 1000,
    scope: 'window',
    markdownDescription: 'Frames a second that a program hands over for each output at most. It pays for no others, and for none while nobody looks.',
  },
  'seamscope.lint.enable': {
    type: 'boolean',
    default: true,
    scope: 'window',
    markdownDescription: 'Check C, C++, CUDA, Objective-C and Python files for faults where GPU memory crosses between APIs.',
  },
  'seamscope.engine.environment': {
    type: 'object',
    default: {},
    additionalProperties: { type: ['string', 'null'] },
    scope: 'machine-overridable',
    restricted: true,
    markdownDescription:
      'Environment variables of the GPU engine, for example `CUDA_VISIBLE_DEVICES` or `VK_DRIVER_FILES`; `null` removes one. The engine restarts when this changes.',
  },
  'seamscope.trace.server': {
    type: 'string',
    default: 'off',
    enum: ['off', 'messages', 'verbose'],
    enumDescriptions: ['No trace.', 'Names of the messages.', 'Messages with their content.'],
    scope: 'window',
    markdownDescription: 'Writes the traffic with the lint server to the log.',
  },
} as const satisfies Record<string, SettingContribution>;

export type SettingId = keyof typeof settings;

type Widen<T> = T extends number ? number : T extends boolean ? boolean : T extends string ? string : Readonly<Record<string, string | null>>;
export type SettingValue<Id extends SettingId> = Widen<(typeof settings)[Id]['default']>;

/** Settings that a workspace without trust cannot change. */
export const restrictedSettings = Object.entries<SettingContribution>(settings)
  .filter(([, setting]) => setting.restricted)
  .map(([id]) => id);
