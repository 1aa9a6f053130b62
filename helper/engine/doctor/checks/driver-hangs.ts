import { type Check, fine, fix, found } from '../check';
import { reasonsWith, wordsOf } from '../facts';

export const driverHangs: Check = {
  id: 'driver-hangs',
  title: 'Drivers that hang or crash',
  asks: 'addon',
  run({ snapshot }) {
    const reasons = reasonsWith(snapshot, 'driver-hangs', 'probe-failed');
    if (reasons.length === 0) return fine('Every driver answered.');
    return found('problem', reasons[0]!.message, wordsOf(reasons), fix(reasons[0]!.nextStep, 'sudo dmesg | grep -i -E "xid|nvrm" | tail'));
  },
};
