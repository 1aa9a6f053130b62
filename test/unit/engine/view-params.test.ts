import { describe, expect, it } from 'vitest';
import { checkView } from '../../../helper/engine/validate';
import { VIEW } from './harness';

describe('parameters of a view', () => {
  it('are complete whatever the client left out', () => {
    expect(checkView(VIEW)).toEqual({
      ...VIEW,
      overlayInf: true,
      overlayNegative: true,
      batch: 0,
      compare: { mode: 'off', reference: 0, split: 0.5 },
      history: null,
      wantHistogram: false,
      wantMetrics: false,
    });
  });

  it('mark infinity and negative values as NaN where nothing else is said', () => {
    expect(checkView({ ...VIEW, overlayNan: false })).toMatchObject({ overlayInf: false, overlayNegative: false });
    expect(checkView({ ...VIEW, overlayNan: false, overlayInf: true })).toMatchObject({ overlayInf: true, overlayNegative: false });
  });

  it.each([
    ['compare', { mode: 'blend', reference: 0, split: 0.5 }],
    ['compare', { mode: 'swipe', reference: -1, split: 0.5 }],
    ['compare', { mode: 'swipe', reference: 1, split: 1.5 }],
    ['compare', { mode: 'difference', reference: 1, split: 0.5, signed: 'yes' }],
    ['compare', null],
    ['history', -1],
    ['history', '5'],
    ['batch', 1.5],
    ['falseColor', 'rainbow'],
    ['wantHistogram', 1],
  ])('refuse a wrong %s: %j', (name, value) => {
    expect(() => checkView({ ...VIEW, [name]: value })).toThrow(`view.${name} must be`);
  });
});
