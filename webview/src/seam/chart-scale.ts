/** Where things of the throughput chart lie. Pure: chart.ts draws them. */
import type { SeamModel } from '../../../helper/protocol/seamtest';

export interface ChartBox {
  width: number;
  height: number;
  left: number;
  bottom: number;
  top: number;
  right: number;
}

export interface ChartLayout {
  points: { x: number; y: number; slots: number; framesPerSecond: number }[];
  /** Path of the model; empty when it explains too little. */
  line: string;
  /** Frames a second and where its line lies. */
  ticks: { value: number; y: number }[];
  /** Slots and where they stand. */
  columns: { slots: number; x: number }[];
  /** Where the number of slots worth having stands; null when it is off the chart. */
  worthX: number | null;
}

/** Share of the spread from which on the model's line says something. */
const CREDIBLE = 0.6;
const MOST_COLUMNS = 16;
const STEPS = 4;

export function layOutChart(model: SeamModel, box: ChartBox): ChartLayout {
  const { fitted, slotsWorthHaving } = model;
  const measured = Math.max(...fitted.map(({ slots }) => slots));
  const most = Math.min(MOST_COLUMNS, Math.max(measured, slotsWorthHaving));
  const isCredible = model.rSquared >= CREDIBLE && model.handoverUs > 0;
  const rate = (slots: number) => 1e6 / (model.workUs + model.handoverUs / slots);
  const highest = Math.max(...fitted.map(({ usPerFrame }) => 1e6 / usPerFrame), isCredible ? rate(most) : 0);
  const step = roundStep(highest / STEPS);
  const top = step * Math.ceil(highest / step);
  const x = (slots: number) => box.left + ((slots - 1) / Math.max(most - 1, 1)) * (box.width - box.left - box.right);
  const y = (value: number) => box.height - box.bottom - (value / top) * (box.height - box.bottom - box.top);
  const place = (slots: number, value: number) => `${x(slots).toFixed(1)} ${y(value).toFixed(1)}`;
  const fine = Array.from({ length: (most - 1) * 4 + 1 }, (_, at) => 1 + at / 4);
  return {
    points: fitted.map(({ slots, usPerFrame }) => ({ slots, framesPerSecond: 1e6 / usPerFrame, x: x(slots), y: y(1e6 / usPerFrame) })),
    line: isCredible ? `M${fine.map((slots) => place(slots, rate(slots))).join('L')}` : '',
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, at) => ({ value: at * step, y: y(at * step) })),
    columns: Array.from({ length: most }, (_, at) => ({ slots: at + 1, x: x(at + 1) })),
    worthX: isCredible && slotsWorthHaving <= most ? x(slotsWorthHaving) : null,
  };
}

/** 1, 2 or 5 times a power of ten, not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}
