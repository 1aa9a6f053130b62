import { type Check, fine, fix, found, notApplicable } from '../check';

export const ordinalPitfalls: Check = {
  id: 'ordinal-pitfalls',
  title: 'Numbers and UUIDs that mislead',
  asks: 'drivers',
  run({ snapshot: { pitfalls = [], cuda } }) {
    if (cuda.devices.length === 0) return notApplicable('CUDA lists no device.');
    if (pitfalls.length === 0) return fine('Ordinals, indices, names and the older UUIDs all agree here.');
    return found(
      'warning',
      pitfalls[0]!.message,
      pitfalls.map(({ message }) => message),
      ...[...new Set(pitfalls.map(({ nextStep }) => nextStep))].map((step) => fix(step)),
    );
  },
};
