import { type Check, fine, fix, found } from '../check';

export const addon: Check = {
  id: 'addon',
  title: 'Native addon',
  run({ engine: { version, addonPath, addonProblem, addonStale } }) {
    if (addonProblem) return found('problem', addonProblem.message, [], fix(addonProblem.nextStep));
    if (addonStale) return found('warning', addonStale.message, [], fix(addonStale.nextStep));
    return fine(`${addonPath}, version ${version}`);
  },
};
